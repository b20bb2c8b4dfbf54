"""What is computed once for many clusterings: sums, orders and samples of the distances."""
