/* One dispatch of a tree: work-item p writes node p of the lowest level from its children; then the items of a group go
 * on to the levels above, whose children they keep in local memory, node i by item i, so that the items at work are
 * neighbours. Two halves of local memory take turns, and one barrier a level is enough. */

#define KEEP(at) \
  for (int w = 0; w < 4; ++w) local_nodes[4 * (at) + w] = words[w];
#define WRITE(slot)                                                 \
  {                                                                 \
    for (int w = 0; w < 4; ++w) nodes[4 * (slot) + w] = words[w];   \
    if (count_writes) atomic_inc(writes + (slot));                  \
  }

__kernel void build_levels(__global const ulong* leaves, __global ulong* nodes, __constant const ulong* table,
                           __local ulong* local_nodes, __global uint* writes, int count_writes, int circulant,
                           int from_leaves, int levels, ulong first_slot, ulong items, ulong children) {
  const ulong size = get_local_size(0), item = get_local_id(0), base = get_group_id(0) * size, p = base + item;
  ulong words[8];
  ulong count = base < items ? min(size, items - base) : 0; /* nodes of this group at this level */
  if (item < count) {
    __global const ulong* from = (from_leaves ? leaves : nodes + 8 * first_slot) + 8 * p;
    const int both = 2 * p + 1 < children;
    for (int w = 0; w < (both ? 8 : 4); ++w) words[w] = from[w];
    if (both) merge_words(words, table, circulant);
    WRITE(first_slot + p)
    if (levels > 1) KEEP(item)
  }
  ulong read_at = 0, write_at = size;
  for (int level = 1; level < levels; ++level) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong parents = (count + 1) / 2;
    if (item < parents) {
      const int both = 2 * item + 1 < count;
      for (int w = 0; w < (both ? 8 : 4); ++w) words[w] = local_nodes[4 * (read_at + 2 * item) + w];
      if (both) merge_words(words, table, circulant);
      WRITE((first_slot >> level) + (base >> level) + item)
      KEEP(write_at + item)
    }
    count = parents;
    const ulong swapped = read_at;
    read_at = write_at;
    write_at = swapped;
  }
}
