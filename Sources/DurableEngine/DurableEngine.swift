// DurableEngine
