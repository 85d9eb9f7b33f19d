#pragma once
// The work of exercise 72 as a plain serial loop: what the emulator's time is set against.
void serial_conv1d(const float* x, const float* w, float* y, int n);
