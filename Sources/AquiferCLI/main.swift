print("aquifer")
