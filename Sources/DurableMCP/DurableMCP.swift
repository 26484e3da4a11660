// DurableMCP
