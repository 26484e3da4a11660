// DurableSecurity
