// judge-device with the fake device behind it.

#include "../device/fake_device.h"
#include "judge/device/server.h"

int main() {
  judge::device::FakeDevice device;
  judge::device::Server(device, judge::device::ControlSocket(judge::device::Descriptor(3))).run();
}
