#pragma once
#include <poplar/impl/graph/TileMap.hpp>

#include <algorithm>
#include <cassert>

namespace cottonwood::graph {

POP_INLINE TileMap::TileMap(TileMap const &other)
    : numElements_(other.numElements_), only_(other.only_),
      chunks_(other.chunks_ ? std::make_unique<std::vector<Chunk>>(*other.chunks_) : nullptr) {}

POP_INLINE TileMap &TileMap::operator=(TileMap const &other) {
  if (this != &other)
    *this = TileMap(other);
  return *this;
}

/// The step that holds the element.
POP_INLINE TileMap::Position TileMap::find(std::uint64_t element) const {
  std::vector<Chunk> const &chunks = *chunks_;
  std::size_t chunk = chunks.size() - 1; // elements are mostly visited in ascending order
  if (element < chunks[chunk].front().begin) {
    auto const after =
        std::upper_bound(chunks.begin(), chunks.end(), element,
                         [](std::uint64_t e, Chunk const &c) { return e < c.front().begin; });
    chunk = static_cast<std::size_t>(after - chunks.begin()) - 1;
  }
  Chunk const &steps = chunks[chunk];
  if (element >= steps.back().begin)
    return {chunk, steps.size() - 1};
  auto const after = std::upper_bound(steps.begin(), steps.end(), element,
                                      [](std::uint64_t e, Step const &s) { return e < s.begin; });
  return {chunk, static_cast<std::size_t>(after - steps.begin()) - 1};
}

/// Moves to the following step; false if there is none.
POP_INLINE bool TileMap::next(Position &position) const {
  if (++position.step < (*chunks_)[position.chunk].size())
    return true;
  position.step = 0;
  return ++position.chunk < chunks_->size();
}

POP_INLINE void TileMap::set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
  assert(end <= numElements_);
  if (begin >= end)
    return;
  if (begin == 0 && end == numElements_) {
    only_ = tile;
    chunks_.reset();
    return;
  }
  if (!chunks_) {
    if (tile == only_)
      return;
    chunks_ = std::make_unique<std::vector<Chunk>>(1, Chunk{Step{0, only_}});
  }
  setSteps(begin, end, tile);
  if (chunks_->size() == 1 && chunks_->front().size() == 1) {
    only_ = chunks_->front().front().tile;
    chunks_.reset();
  }
}

POP_INLINE void TileMap::setSteps(std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
  Position const first = find(begin);
  Position last = find(end - 1);
  Step const head = (*chunks_)[first.chunk][first.step];
  Step const tail = (*chunks_)[last.chunk][last.step];

  Step steps[3];
  std::size_t numSteps = 0;
  bool startsNew = true; // whether `tile` differs from the tile in front of `begin`
  if (head.begin < begin) {
    steps[numSteps++] = head;
    startsNew = head.tile != tile;
  } else if (first.step != 0) {
    startsNew = (*chunks_)[first.chunk][first.step - 1].tile != tile;
  } else if (first.chunk != 0) {
    startsNew = (*chunks_)[first.chunk - 1].back().tile != tile;
  }
  if (startsNew)
    steps[numSteps++] = {begin, tile};

  Position following = last;
  bool const isLast = !next(following);
  std::uint64_t const tailEnd =
      isLast ? numElements_ : (*chunks_)[following.chunk][following.step].begin;
  if (end < tailEnd) {
    if (tail.tile != tile)
      steps[numSteps++] = {end, tail.tile};
  } else if (!isLast && (*chunks_)[following.chunk][following.step].tile == tile) {
    last = following; // the next interval continues this one
  }
  replace(first, last, steps, numSteps);
}

/// Puts `steps` in the place of the steps first ... last.
POP_INLINE void TileMap::replace(Position first, Position last, Step const *steps,
                                 std::size_t numSteps) {
  std::vector<Chunk> &chunks = *chunks_;
  Chunk &chunk = chunks[first.chunk];
  auto const at = [](Chunk &c, std::size_t i) {
    return c.begin() + static_cast<std::ptrdiff_t>(i);
  };
  if (first.chunk == last.chunk) {
    std::size_t const numOld = last.step - first.step + 1;
    std::size_t const numKept = std::min(numOld, numSteps);
    std::copy_n(steps, numKept, at(chunk, first.step));
    if (numOld > numSteps)
      chunk.erase(at(chunk, first.step + numSteps), at(chunk, last.step + 1));
    else
      chunk.insert(at(chunk, last.step + 1), steps + numKept, steps + numSteps);
  } else {
    chunk.erase(at(chunk, first.step), chunk.end());
    chunk.insert(chunk.end(), steps, steps + numSteps);
    Chunk &lastChunk = chunks[last.chunk];
    lastChunk.erase(lastChunk.begin(), at(lastChunk, last.step + 1));
    std::size_t const endErased = lastChunk.empty() ? last.chunk + 1 : last.chunk;
    chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(first.chunk) + 1,
                 chunks.begin() + static_cast<std::ptrdiff_t>(endErased));
  }
  if (chunks[first.chunk].empty())
    chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(first.chunk));
  else if (chunks[first.chunk].size() > kChunkSteps)
    split(first.chunk);
}

POP_INLINE void TileMap::split(std::size_t chunk) {
  Chunk &full = (*chunks_)[chunk];
  // What grows at its end will go on growing there: leave full chunks behind.
  bool const isLast = chunk + 1 == chunks_->size();
  auto const at =
      full.begin() + static_cast<std::ptrdiff_t>(isLast ? kChunkSteps - 1 : full.size() / 2);
  Chunk rest(at, full.end());
  full.erase(at, full.end());
  if (isLast)
    rest.reserve(kChunkSteps + 3);
  chunks_->insert(chunks_->begin() + static_cast<std::ptrdiff_t>(chunk) + 1, std::move(rest));
}

POP_INLINE std::uint32_t TileMap::at(std::uint64_t element) const {
  if (!chunks_)
    return only_;
  Position const position = find(element);
  return (*chunks_)[position.chunk][position.step].tile;
}

POP_INLINE bool TileMap::uniform(std::uint64_t begin, std::uint64_t end,
                                 std::uint32_t &tile) const {
  if (!chunks_) {
    tile = only_;
    return true;
  }
  Position position = find(begin);
  tile = (*chunks_)[position.chunk][position.step].tile;
  return !next(position) || end <= (*chunks_)[position.chunk][position.step].begin;
}

POP_INLINE TileMap::Cursor::Cursor(TileMap const &map) : map_(&map) {
  if (map.chunks_)
    load();
  else
    end_ = map.numElements_, tile_ = map.only_;
}

/// Reads the interval at the position.
POP_INLINE void TileMap::Cursor::load() {
  chunk_ = &(*map_->chunks_)[position_.chunk];
  Step const step = (*chunk_)[position_.step];
  begin_ = step.begin;
  tile_ = step.tile;
  Position following = position_;
  end_ = map_->next(following) ? (*map_->chunks_)[following.chunk][following.step].begin
                               : map_->numElements_;
}

POP_INLINE void TileMap::Cursor::seek(std::uint64_t element) {
  if (!chunk_)
    return;
  // The next interval, if another one follows it in its chunk.
  if (element >= end_ && position_.step + 2 < chunk_->size()) {
    Step const *const step = chunk_->data() + ++position_.step;
    begin_ = step[0].begin;
    tile_ = step[0].tile;
    end_ = step[1].begin;
    if (element < end_)
      return;
  }
  position_ = map_->find(element);
  load();
}

POP_INLINE bool TileMap::complete(std::uint64_t begin, std::uint64_t end) const {
  bool isComplete = true;
  forEach(begin, end, [&](std::uint64_t, std::uint64_t, std::uint32_t tile) {
    isComplete = isComplete && tile != kNoTile;
  });
  return isComplete;
}

POP_INLINE std::size_t TileMap::numIntervals() const {
  if (!chunks_)
    return numElements_ == 0 ? 0 : 1;
  std::size_t count = 0;
  for (Chunk const &chunk : *chunks_)
    count += chunk.size();
  return count;
}

} // namespace cottonwood::graph
