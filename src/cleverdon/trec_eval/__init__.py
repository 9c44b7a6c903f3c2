"""A drop-in for trec_eval: its arguments, its output to the byte, its exit codes.


    arguments -> files -> measures -> output

The numbers are those of Cleverdon's own measures. What stands here is trec_eval's way of
reading files, of naming and ordering what it prints, and those of its habits that quietly set
published numbers; `docs/trec_eval.md` lists where it does better than the original.
"""
