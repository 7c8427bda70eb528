print("bluelab")
