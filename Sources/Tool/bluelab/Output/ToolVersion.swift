/// The version of `bluelab`.
let toolVersion = "0.1.0-dev"
