"""PAC-MDL."""

from karat.bounds._tails import b_max, bucket, log_bucket
