#include "judge/emulator/observe/ordering.h"

#include <algorithm>
#include <bit>

namespace judge::emulator {

namespace {

// Past these the account would cost more memory than the kernel: races that need it are then not reported.
constexpr std::size_t kMaxBlocks = 1u << 17;
constexpr std::size_t kMaxSyncs = 1u << 20;
constexpr std::size_t kMaxVisited = 512;   // addresses looked at for one answer
constexpr std::size_t kMaxEntries = 4096;  // of one block in one log
constexpr std::size_t kMaxTicks = 1u << 16;
constexpr std::size_t kMaxReads = 1u << 21;
constexpr std::size_t kMaxKnownToInherit = 1024;
constexpr std::uint32_t kMaxPublishingTicks = 256;  // of a warp

}  // namespace

void Ordering::Block::LastFences::add(Epochs at) {
  if (has_last && last != at) {
    previous = last;
    has_previous = true;
  }
  last = at;
  has_last = true;
}

Ordering::Epochs Ordering::Block::LastFences::cover(Epochs now, bool by_barrier) const {
  const auto earlier = [&](Epochs e) { return by_barrier ? e.barrier < now.barrier : e < now; };
  const auto end = [&](Epochs e) { return by_barrier ? Epochs{e.barrier + 1, 0} : Epochs{e.barrier, e.warp + 1}; };
  if (has_last && earlier(last)) return end(last);
  if (has_previous && earlier(previous)) return end(previous);
  return {};
}

Ordering::Block* Ordering::begin_block(std::uint64_t number, std::uint32_t warps) {
  if (histories_.size() >= kMaxBlocks) complete_ = false;
  if (!complete_) return nullptr;
  History& history = histories_[number];
  history.assign(warps, std::vector<Epochs>(1));
  Block& b = running_[number];
  b.all_ = this;
  b.number_ = number;
  b.history_ = &history;  // references into an unordered_map stay valid
  b.warps_.resize(warps);
  b.fenced_.resize(std::size_t{warps} * 32);
  return &b;
}

void Ordering::end_block(std::uint64_t number) {
  running_.erase(number);
}

void Ordering::Block::block_barrier() {
  ++barriers_;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    for (const auto& [sync, length] : warps_[w].knows) {
      auto& known = knows_[sync];
      known = std::max(known, length);
    }
    warps_[w].knows.clear();
    if (tick(w) < kMaxTicks) begin_tick(w, {barriers_, 0});
    warps_[w].first_tick = tick(w);
  }
}

void Ordering::Block::warp_barrier(std::uint32_t warp) {
  const Epochs e = now(warp);
  if (tick(warp) < kMaxTicks) begin_tick(warp, {e.barrier, e.warp + 1});
}

void Ordering::Block::fence(std::uint32_t warp, std::uint32_t lanes, bool beyond_block) {
  const Epochs e = now(warp);
  if (tick(warp) >= kMaxTicks) return;
  begin_tick(warp, e);
  const std::uint32_t end = tick(warp);
  for (; lanes != 0; lanes &= lanes - 1) {
    Fenced& f = fenced_[32 * warp + static_cast<std::uint32_t>(std::countr_zero(lanes))];
    f.any = end;
    if (beyond_block) f.beyond_block = end;
  }
  any_.add(e);
  warps_[warp].any.add(e);
  if (beyond_block) {
    beyond_block_.add(e);
    warps_[warp].beyond_block.add(e);
  }
}

void Ordering::Block::publish(std::uint32_t thread, std::uint64_t address) {
  const std::uint32_t warp = thread / 32;
  const Epochs e = now(warp);
  const auto cover = [&](std::uint32_t own, const LastFences& of_warp, const LastFences& of_block) {
    Cover c;
    c.ticks = own;
    c.warp = of_warp.cover(e, false);
    c.barriers = of_block.cover(e, true).barrier;
    if (own != 0) {  // a fence covers also what was ordered before the fencing thread
      const Epochs at = history_->at(warp)[own];
      c.warp = std::max(c.warp, at);
      c.barriers = std::max(c.barriers, at.barrier);
    }
    return c;
  };
  Entry entry;
  entry.thread = thread;
  entry.beyond_block = cover(fenced_[thread].beyond_block, warps_[warp].beyond_block, beyond_block_);
  entry.any = cover(fenced_[thread].any, warps_[warp].any, any_);
  const bool fenced = !entry.any.empty();
  auto found = all_->syncs_.find(address);
  if (found == all_->syncs_.end()) {
    if (all_->syncs_.size() >= kMaxSyncs) {
      (fenced ? all_->complete_ : all_->reads_complete_) = false;
      return;
    }
    found = all_->syncs_.try_emplace(address).first;
  }
  Sync& s = found->second;
  const std::uint32_t position = s.length;
  bool news = false, news_of_reads = publish_reads(s, warp, position);
  if (!fenced && knows_.size() + warps_[warp].knows.size() > kMaxKnownToInherit) all_->reads_complete_ = false;
  if (fenced || all_->reads_complete_) {
    const auto inherit = [&](Inheritance& into, const Sync* sync, std::uint32_t length) {
      auto& list = into[sync];
      if (!list.empty() && list.back().length >= length) return false;
      list.push_back({position, length});
      return true;
    };
    for (const Knowledge* k : {&knows_, &warps_[warp].knows}) {
      for (const auto& [sync, length] : *k) {
        if (sync == &s) continue;
        if (fenced) news |= inherit(s.inherited, sync, length);
        news_of_reads |= inherit(s.inherited_reads, sync, length);
      }
    }
  }
  if (news || news_of_reads) s.length = position + 1;
  if (!fenced) return;
  const auto place = static_cast<std::uint32_t>(s.log.size());
  const auto [last, fresh] = s.last_of_thread.try_emplace(number_ << 10 | thread, place);
  if (!fresh && !news) {
    const Entry& before = s.log[last->second];
    if (before.beyond_block == entry.beyond_block && before.any == entry.any) return;
  }
  last->second = place;
  entry.position = position;
  s.length = position + 1;
  s.log.push_back(entry);
  s.by_block[number_].push_back(place);
}

// Whether that was more than before.
bool Ordering::Block::publish_reads(Sync& s, std::uint32_t warp, std::uint32_t position) {
  if (!all_->reads_complete_) return false;
  if (all_->reads_kept_ >= kMaxReads) {
    all_->reads_complete_ = false;
    return false;
  }
  const auto add = [&](std::vector<Reads>& steps, std::uint32_t below) {
    if (!steps.empty() && steps.back().below >= below) return false;
    steps.push_back({position, below});
    ++all_->reads_kept_;
    return true;
  };
  const bool of_warp = add(s.reads_of_warp[number_ << 5 | warp], tick(warp) + 1);
  const std::uint32_t barriers = now(warp).barrier;
  return (barriers != 0 && add(s.reads_of_block[number_], barriers)) || of_warp;
}

std::uint32_t Ordering::reads_below(const std::vector<Reads>& steps, std::uint32_t length) {
  const auto end = std::partition_point(steps.begin(), steps.end(), [&](const Reads& r) { return r.position < length; });
  return end == steps.begin() ? 0 : std::prev(end)->below;
}

void Ordering::Block::end_publishing(std::uint32_t warp) {
  if (tick(warp) < kMaxPublishingTicks) begin_tick(warp, now(warp));
}

void Ordering::Block::learn(std::uint32_t thread, std::uint64_t address) {
  const auto found = all_->syncs_.find(address);
  if (found == all_->syncs_.end()) return;
  auto& known = warps_[thread / 32].knows[&found->second];
  known = std::max(known, found->second.length);
}

bool Ordering::Block::is_ordered(std::uint32_t warp, std::uint64_t block, std::uint32_t thread,
                                 std::uint32_t tick, bool read) const {
  if (!all_->complete_ || (read && !all_->reads_complete_ && has_learned(warp))) return true;
  const auto history = all_->histories_.find(block);
  const std::uint32_t its_warp = thread / 32;
  if (history == all_->histories_.end() || its_warp >= history->second.size() ||
      tick >= history->second[its_warp].size() || tick >= kMaxTicks)
    return true;
  const Epochs then = history->second[its_warp][tick];
  const bool same_block = block == number_;
  if (same_block) {
    const Epochs e = now(warp);
    if (then.barrier < e.barrier || (its_warp == warp && then < e)) return true;
  }
  const auto includes = [&](const Entry& x) {
    const Cover& c = same_block ? x.any : x.beyond_block;
    return (x.thread == thread && tick < c.ticks) || (x.thread / 32 == its_warp && then < c.warp) ||
           then.barrier < c.barriers;
  };
  std::map<const Sync*, std::uint32_t> visited;
  std::vector<std::pair<const Sync*, std::uint32_t>> work(knows_.begin(), knows_.end());
  work.insert(work.end(), warps_[warp].knows.begin(), warps_[warp].knows.end());
  while (!work.empty()) {
    const auto [sync, length] = work.back();
    work.pop_back();
    auto& seen = visited[sync];
    if (seen >= length) continue;
    seen = length;
    if (visited.size() > kMaxVisited) return true;
    if (const auto list = sync->by_block.find(block); list != sync->by_block.end()) {
      std::size_t looked_at = 0;
      for (auto p = list->second.rbegin(); p != list->second.rend(); ++p) {
        if (sync->log[*p].position >= length) continue;
        if (includes(sync->log[*p]) || ++looked_at > kMaxEntries) return true;
      }
    }
    if (read) {
      const auto of_warp = sync->reads_of_warp.find(block << 5 | its_warp);
      if (of_warp != sync->reads_of_warp.end() && tick < reads_below(of_warp->second, length)) return true;
      const auto of_block = sync->reads_of_block.find(block);
      if (of_block != sync->reads_of_block.end() && then.barrier < reads_below(of_block->second, length)) return true;
    }
    for (const auto& [from, steps] : read ? sync->inherited_reads : sync->inherited) {
      std::uint32_t most = 0;
      for (const Inherited& step : steps)
        if (step.at < length) most = step.length;
      if (most != 0) work.emplace_back(from, most);
    }
  }
  return false;
}

}  // namespace judge::emulator
