"""BMv2's commands by their own names and options: what scripts start them with, they understand."""
