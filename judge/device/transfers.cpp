#include "judge/device/transfers.h"

namespace judge::device {

Transfers transfers_of(const std::vector<Operation>& operations) {
  Transfers t;
  std::uint64_t prefetched = 0;
  for (const Operation& o : operations) {
    if (o.kind == OperationKind::copy_to_device || o.kind == OperationKind::copy_to_symbol)
      t.copied_to_device_bytes += o.bytes;
    else if (o.kind == OperationKind::copy_from_device || o.kind == OperationKind::copy_from_symbol)
      t.copied_from_device_bytes += o.bytes;
    else if (o.kind == OperationKind::allocate_managed)
      t.managed_bytes += o.bytes;
    else if (o.kind == OperationKind::prefetch_to_device)
      prefetched += o.bytes;
    else if (o.kind == OperationKind::launch)
      t.prefetched_bytes = prefetched;
  }
  t.overlap = overlap_of(operations);
  return t;
}

}  // namespace judge::device
