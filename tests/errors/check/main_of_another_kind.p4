extern Ext { Ext(); }
Ext() main;
