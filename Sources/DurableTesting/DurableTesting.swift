// DurableTesting
