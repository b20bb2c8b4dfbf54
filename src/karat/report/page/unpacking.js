// ---- bytes from gzip in base64
async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  if (window.DecompressionStream) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }
  return gunzip(packed);
}
// for browsers of before 2023: RFC 1951 and 1952
function gunzip(source) {
  const size = new DataView(source.buffer).getUint32(source.length - 4, true);
  const out = new Uint8Array(size);
  let at = 10, bits = 0, held = 0, end = 0;
  function take(count) {
    while (held < count) { bits |= source[at++] << held; held += 8; }
    const value = bits & ((1 << count) - 1);
    bits >>>= count;
    held -= count;
    return value;
  }
  function tree(lengths) {
    const count = new Uint16Array(16), start = new Uint16Array(16);
    const symbols = new Uint16Array(lengths.length);
    lengths.forEach((l) => { count[l]++; });
    count[0] = 0;
    for (let l = 1; l < 16; l++) start[l] = start[l - 1] + count[l - 1];
    lengths.forEach((l, symbol) => { if (l) symbols[start[l]++] = symbol; });
    return { count, symbols };
  }
  function symbol(t) {
    let code = 0, first = 0, index = 0;
    for (let l = 1; l < 16; l++) {
      code |= take(1);
      const count = t.count[l];
      if (code - count < first) return t.symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Error("damaged");
  }
  const BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
  const EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
  const FAR = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  for (let last = 0; !last;) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) {
      bits = held = 0;
      const length = source[at] | (source[at + 1] << 8);
      out.set(source.subarray(at + 4, at + 4 + length), end);
      at += 4 + length;
      end += length;
      continue;
    }
    let literal, distance;
    if (kind === 1) {
      literal = tree(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)));
      distance = tree(new Array(30).fill(5));
    } else {
      const literals = take(5) + 257, distances = take(5) + 1, codes = take(4) + 4;
      const lengths = new Array(19).fill(0);
      for (let i = 0; i < codes; i++) lengths[ORDER[i]] = take(3);
      const coded = tree(lengths), given = [];
      while (given.length < literals + distances) {
        const s = symbol(coded);
        if (s < 16) { given.push(s); continue; }
        const what = s === 16 ? given[given.length - 1] : 0;
        const times = s === 16 ? 3 + take(2) : s === 17 ? 3 + take(3) : 11 + take(7);
        for (let i = 0; i < times; i++) given.push(what);
      }
      literal = tree(given.slice(0, literals));
      distance = tree(given.slice(literals));
    }
    for (let s = symbol(literal); s !== 256; s = symbol(literal)) {
      if (s < 256) { out[end++] = s; continue; }
      const length = BASE[s - 257] + take(EXTRA[s - 257]), d = symbol(distance);
      const from = end - FAR[d] - take(d < 4 ? 0 : (d >> 1) - 1);
      for (let i = 0; i < length; i++) out[end + i] = out[from + i];
      end += length;
    }
  }
  return out;
}

