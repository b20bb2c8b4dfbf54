# Values of R's packages for the clusterings in folder/0.csv, 1.csv, ...: truth, labels, data.
args <- commandArgs(trailingOnly = TRUE)
folder <- args[1]; number <- as.integer(args[2]); out <- file(args[3], "w")
say <- function(package, name, at, value)
  cat(package, name, at, paste(format(as.numeric(value), digits = 15), collapse = " "),
      sep = "\t", file = out)
line <- function(...) { say(...); cat("\n", file = out) }
try_line <- function(package, name, at, expression) {
  value <- tryCatch(suppressWarnings(expression), error = function(e) NULL)
  if (!is.null(value) && length(value) > 0) line(package, name, at, value)
}
packages <- c("fpc", "clue", "mclust")
there <- packages[sapply(packages, requireNamespace, quietly = TRUE)]
for (package in there)
  cat(package, "", "", paste0(as.character(packageVersion(package)), "\n"), sep = "\t", file = out)
for (at in seq_len(number) - 1) {
  rows <- as.matrix(read.csv(file.path(folder, paste0(at, ".csv")), header = FALSE))
  truth <- as.integer(rows[, 1]); labels <- as.integer(rows[, 2])
  X <- rows[, -(1:2), drop = FALSE]; d <- dist(X)
  if ("fpc" %in% there) {
    stats <- tryCatch(suppressWarnings(fpc::cluster.stats(
      d, labels, truth, G2 = TRUE, G3 = TRUE, wgap = TRUE, sepindex = TRUE)), error = function(e) NULL)
    for (name in names(stats))
      if (is.numeric(stats[[name]])) line("fpc", name, at, stats[[name]])
    try_line("fpc", "cvnn", at,
             fpc::cvnn(d, list(truth, labels), k = 5)$cvnnindex)
    try_line("fpc", "dudahart2", at, fpc::dudahart2(X, labels)$dh)
    try_line("fpc", "cdbw", at, fpc::cdbw(X, labels)$cdbw)
  }
  if ("clue" %in% there) {
    T <- clue::as.cl_hard_partition(truth); C <- clue::as.cl_hard_partition(labels)
    for (name in c("euclidean", "manhattan", "Rand", "cRand", "NMI", "KP", "angle", "diag", "FM",
                   "Jaccard", "purity", "PS"))
      try_line("clue", paste0("agreement.", name), at, clue::cl_agreement(T, C, method = name)[1])
    for (name in c("euclidean", "manhattan", "comemberships", "symdiff", "Rand", "GV1", "BA/A",
                   "BA/C", "BA/E", "VI"))
      try_line("clue", paste0("dissimilarity.", name), at,
               clue::cl_dissimilarity(T, C, method = name)[1])
  }
  if ("mclust" %in% there) {
    try_line("mclust", "adjustedRandIndex", at, mclust::adjustedRandIndex(truth, labels))
    try_line("mclust", "classError", at, mclust::classError(labels, truth)$errorRate)
  }
}
close(out)
