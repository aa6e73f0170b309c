#include "speedwell/apps/alignment/database_search/streamed_search.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace speedwell::database_search {
namespace {

// Hits of a group of queries: so few that they fit memory with their subjects and alignments.
constexpr std::size_t max_group_hits = std::size_t{1} << 18;

// A subject of a hit, by its index in the whole database. It outlives the block that it was read in.
using Subject = std::shared_ptr<const io::SequenceRecord>;

struct KeptHit {
  Hit hit;  // its subject is the index in the whole database
  Subject subject;
};

Subject copy_of(const SequenceFile& block, std::size_t i) {
  auto subject = std::make_shared<io::SequenceRecord>();
  subject->name = block.set.name(i);
  subject->description = block.set.description(i);
  for (const std::uint8_t code : block.set.codes(i)) subject->sequence += alignment::decode(block.set.alphabet(), code);
  subject->qualities = block.qualities[i];
  subject->line = block.lines[i];
  return subject;
}

// The hits of the queries of one group in the blocks so far.
class Group {
 public:
  Group(const SequenceFile& queries, const BatchSearch& search, std::size_t begin, std::size_t end)
      : queries_(queries), search_(search), begin_(begin), hits_(end - begin) {}

  void search_block(const SequenceFile& block, const DatabaseSize& whole, std::size_t before) {
    std::map<std::size_t, Subject> copied;  // one for all queries that hit it
    const std::size_t end = begin_ + hits_.size();
    for (std::size_t begin = begin_; begin < end;) {
      if (search_.is_stopped()) throw alignment::Stopped();
      const std::size_t next = std::min(end, search_.batch_end(begin, block.set));
      auto found = search_.search(block.set, whole, begin, next);
      if (is_aligned_in_blocks()) search_.align(block.set, begin, found);
      for (std::size_t query = begin; query < next; ++query)
        merge(hits_[query - begin_], std::move(found[query - begin]), block, before, copied);
      begin = next;
    }
  }

  // Passes the hits of each query on, with a database of the subjects of all of them.
  void finish(const std::string& file, const OnFileHits& on_hits) {
    std::map<std::size_t, Subject> subjects;
    for (const auto& of_query : hits_)
      for (const KeptHit& kept : of_query) subjects.emplace(kept.hit.subject, kept.subject);
    SequenceFile database(queries_.set.alphabet());
    database.file = file;
    std::map<std::size_t, std::size_t> positions;
    for (const auto& [index, subject] : subjects) {
      positions.emplace(index, database.set.size());
      append(*subject, database);
    }
    subjects.clear();
    std::vector<std::vector<Hit>> hits(hits_.size());
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      for (KeptHit& kept : hits_[i]) {
        kept.hit.subject = positions.at(kept.hit.subject);
        hits[i].push_back(std::move(kept.hit));
      }
      hits_[i].clear();
    }
    if (search_.options().alignments && !is_aligned_in_blocks()) search_.align(database.set, begin_, hits);
    const SearchedFiles files{queries_, database, search_.options().scoring.matrix};
    for (std::size_t i = 0; i < hits.size(); ++i) on_hits(files, begin_ + i, hits[i]);
  }

 private:
  // Whether a hit is one depends on its alignment.
  bool is_aligned_in_blocks() const { return search_.options().min_query_coverage > 0; }

  // Merges the hits of a block, which all come after those that were kept: of equal scores these stay first.
  void merge(std::vector<KeptHit>& kept, std::vector<Hit> found, const SequenceFile& block, std::size_t before,
             std::map<std::size_t, Subject>& copied) const {
    const auto middle = static_cast<std::ptrdiff_t>(kept.size());
    for (Hit& hit : found) kept.push_back({std::move(hit), nullptr});
    std::inplace_merge(kept.begin(), kept.begin() + middle, kept.end(),
                       [](const KeptHit& a, const KeptHit& b) { return a.hit.score > b.hit.score; });
    kept.resize(std::min(kept.size(), search_.options().max_hits));
    for (KeptHit& one : kept) {
      if (one.subject) continue;
      Subject& subject = copied[one.hit.subject];
      if (!subject) subject = copy_of(block, one.hit.subject);
      one.subject = subject;
      one.hit.subject += before;
    }
  }

  const SequenceFile& queries_;
  const BatchSearch& search_;
  std::size_t begin_;
  std::vector<std::vector<KeptHit>> hits_;
};

}  // namespace

bool search_blocks(const SequenceFile& queries, BlockedDatabase& database, const BatchSearch& search,
                   const OnFileHits& on_hits) {
  const std::size_t max_hits =
      std::clamp<std::size_t>(std::min(search.options().max_hits, database.size().sequences), 1, max_group_hits);
  const std::size_t group_queries = std::min(max_batch_queries, max_group_hits / max_hits);
  try {
    for (std::size_t begin = 0; begin < queries.set.size(); begin += group_queries) {
      Group group(queries, search, begin, std::min(queries.set.size(), begin + group_queries));
      database.for_each_block(search.options().stop, [&](const SequenceFile& block, std::size_t before) {
        group.search_block(block, database.size(), before);
      });
      group.finish(database.file(), on_hits);
    }
  } catch (const alignment::Stopped&) {
    return false;
  }
  return !search.is_stopped();
}

}  // namespace speedwell::database_search
