#pragma once
// The fake device that this process's own libcudart talks to. The library keeps its connection for good, so all tests
// of one process share the device.

#include <string>

#include "fake_device.h"

FakeDevice& attached_device();  // attached at descriptors 3, 4 and 5; its list of requests is empty

// The call name and the sentence of the newest report, joined by ": "; "" when there is none.
std::string last_report(FakeDevice& device);
