#include "CCoreBluetoothTypes.h"
