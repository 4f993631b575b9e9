"""A build that many machines share. What they share is a store: a folder that all of them see.

1. `plan`: the sources are cut into parts that can be read by themselves; the store is named after
   the identity of the build, which is that of the plain one.
2. `survey`: for each part, the id and the split of every story, and what is no story.
3. `duplicates`: ids that were seen before, from sorted runs of hashes, some of them at a time.
4. `layout`: which stories go into which shard of the corpus: those of a plain build.
5. `shards`: a worker reads the stories of its shards itself, builds them and leaves them in the
   store; last of all a record with the hash of what went in and the SHA-256 of what came out.
6. `finish`: the shards are checked and become a corpus.

Every step leaves files that follow from the input alone, each whole or not there. So it does not
matter who does a step, in which order, how often, or what was killed: whoever needs something that
is not there makes it. Two that made the same file must have made the same bytes.
"""
