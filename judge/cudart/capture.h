#pragma once
// Stream capture: calls on a stream become nodes of a graph instead of work.
//
// Each function here that gives an optional is asked before a call does its work: nothing means that no capture
// concerns the call, and an error (or success) is the call's answer. What is illegal meanwhile, and that it ends the
// capture, follows the CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture", and the Runtime API's page
// on stream capture.

#include <optional>

#include "judge/cudart/graph.h"

namespace judge::cudart {

// Adds a node when the stream is being captured. An error when a capture forbids work on this stream.
std::optional<cudaError_t> capture(const ApiCall& call, cudaStream_t stream, Work work);
bool is_capturing(cudaStream_t stream);

// Waiting for a stream (or asking whether it is done) that is being captured.
std::optional<cudaError_t> reject_waiting(const ApiCall& call, cudaStream_t stream);
// Waiting for the device, while anything is being captured.
std::optional<cudaError_t> reject_waiting_for_device(const ApiCall& call);
// Waiting for an event that was recorded into a capture.
std::optional<cudaError_t> reject_waiting(const ApiCall& call, cudaEvent_t event);
// Calls that work at once on the legacy stream: cudaMemcpy, cudaMemset.
std::optional<cudaError_t> reject_immediate(const ApiCall& call);
// Calls that may wait for the device unasked, as cudaMalloc: forbidden unless the capture's mode allows them.
std::optional<cudaError_t> reject_unsafe(const ApiCall& call);
// Calls that a stream's capture cannot hold.
std::optional<cudaError_t> reject_captured(const ApiCall& call, cudaStream_t stream, const char* what);

std::optional<cudaError_t> capture_record(const ApiCall& call, cudaEvent_t event, cudaStream_t stream, unsigned flags);
std::optional<cudaError_t> capture_wait(const ApiCall& call, cudaStream_t stream, cudaEvent_t event, unsigned flags);
void forget_event(cudaEvent_t event);
void forget_stream(cudaStream_t stream);  // a capture of a stream that is destroyed cannot end well

}  // namespace judge::cudart
