import SystemBus
