"""PNA: facts.py has its pipes and numbers, pipes.py what runs for a packet and in which order, steps.py the C of what it
decides, paths.py the same for the interpreter."""
