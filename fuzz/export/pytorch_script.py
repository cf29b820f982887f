# --- numbers as tensors -----------------------------------------------------------------------------------------------


def f64(value):
    return torch.tensor(value, dtype=torch.float64)


def i64(value):
    return torch.tensor(value, dtype=torch.int64)


def boolean(value):
    return torch.tensor(value, dtype=torch.bool)


def number(value, dtype):
    """The number as a tensor without axes, converted as PyTorch converts numbers beside a tensor."""
    wide = boolean if isinstance(value, bool) else i64 if isinstance(value, int) else f64
    return wide(value).to(dtype)


def meet(one, two):
    """The size of two axes that are broadcast to each other: a 1 is repeated."""
    return two if one == 1 else one


def bitcast(value, dtype):
    """The same bits in another dtype of as many bytes; of floats of 16 and 8 bits the low ones of an int32."""
    narrow = {1: torch.uint8, 2: torch.int16}
    if value.dtype.itemsize == dtype.itemsize:
        return value.contiguous().view(dtype)
    if value.dtype.itemsize < dtype.itemsize:
        return value.contiguous().view(narrow[value.dtype.itemsize]).to(torch.int32) & 256**value.dtype.itemsize - 1
    return value.to(narrow[dtype.itemsize]).view(dtype)


def random_word(counter, key):
    """The low 64 bits of Philox4x32-10 for counters under keys. Products of 32 bits by 32 wrap into the same bits."""
    x, k, mask = counter.to(torch.int64), key.to(torch.int64), 0xFFFFFFFF
    word = [x & mask, (x >> 32) & mask, torch.zeros_like(x), torch.zeros_like(x)]
    keys = [k & mask, (k >> 32) & mask]
    for _ in range(10):
        first, second = word[0] * 0xD2511F53, word[2] * 0xCD9E8D57
        word = [((second >> 32) & mask) ^ word[1] ^ keys[0], second & mask,
                ((first >> 32) & mask) ^ word[3] ^ keys[1], first & mask]
        keys = [(keys[0] + 0x9E3779B9) & mask, (keys[1] + 0xBB67AE85) & mask]
    return (word[0] | (word[1] << 32)).to(torch.result_type(counter, key))


# --- data: each element depends on its recipe and its index in row-major order alone ----------------------------------


def philox(seed, index, block):
    """Philox4x32-10 (Salmon et al., SC11) of the counter (index, block) under the key `seed`: four words an index."""
    mask, low = np.uint64(0xFFFFFFFF), np.uint64(32)
    counter = [index & mask, index >> low, np.full_like(index, block), np.zeros_like(index)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first = np.uint64(0xD2511F53) * counter[0]
        second = np.uint64(0xCD9E8D57) * counter[2]
        counter = [(second >> low) ^ counter[1] ^ np.uint64(key[0]), second & mask,
                   (first >> low) ^ counter[3] ^ np.uint64(key[1]), first & mask]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def draw(seed, index):
    words = philox(seed, index, 0)
    return (words[0] << np.uint64(32)) | words[1]


def rounded(wide, dtype):
    """float64 or int64 -> dtype: to 16 bits and fewer through float32, every NaN the usual one."""
    if not dtype.is_floating_point or dtype.itemsize > 2:
        return wide.to(dtype)
    narrow = wide.to(torch.float32).to(dtype)
    usual = torch.tensor(torch.nan).to(dtype)
    raw(narrow)[np.isnan(narrow.to(torch.float32).numpy())] = raw(usual)
    return narrow


def converted(numbers, dtype):
    """float64 -> dtype: integers to the nearest, ties to even."""
    return rounded(torch.from_numpy(numbers if dtype.is_floating_point else np.rint(numbers)), dtype)


def coin(seed, index):
    return torch.from_numpy(philox(seed, index, 0)[0] >> np.uint64(31) != 0)


def normal(seed):
    """The sum of twelve uniform numbers less six: mean 0, deviation 1."""
    def numbers(index):
        words = [word for block in range(3) for word in philox(seed, index, block)]
        total = np.sum([word.astype(np.int64) for word in words], axis=0) - 6 * 0xFFFFFFFF
        return total.astype(np.float64) * 2.0**-32
    def elements(index, dtype):
        return coin(seed, index) if dtype == torch.bool else converted(numbers(index), dtype)
    elements.numbers = numbers
    return elements


def uniform(seed, low, high):
    def elements(index, dtype):
        if dtype == torch.bool:
            return coin(seed, index)
        unit = (draw(seed, index) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return converted(low + (high - low) * unit, dtype)
    return elements


def integers(seed, low, high):
    """low, …, high - 1"""
    def elements(index, dtype):
        drawn, width = draw(seed, index), np.uint64(high - low)
        half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
        upper, lower, wide, narrow = drawn >> half, drawn & mask, width >> half, width & mask
        middle = upper * narrow + ((lower * narrow) >> half)
        scaled = upper * wide + (middle >> half) + (((middle & mask) + lower * wide) >> half)
        whole = torch.from_numpy(scaled.astype(np.int64) + low)
        return whole != 0 if dtype == torch.bool else rounded(whole, dtype)
    return elements


def special(seed):
    """NaN, infinities, zeros of both signs, denormals and extremes, half of them; the others are normal(seed)."""
    def elements(index, dtype):
        if dtype == torch.bool:
            return coin(seed, index)
        words = philox(seed, index, 3)
        ordinary, negative = words[0] >> np.uint64(31) == 0, (words[2] & np.uint64(1)) != 0
        usual = normal(seed).numbers(index)
        if not dtype.is_floating_point:
            info = torch.iinfo(dtype)
            listed = np.array([0, 1, 2, info.max, info.max - 1, info.min], dtype=np.int64)[words[1] % np.uint64(6)]
            if info.min < 0:
                listed = np.where(negative & (listed != info.min), -listed, listed)
            return torch.from_numpy(np.where(ordinary, np.rint(8 * usual).astype(np.int64), listed)).to(dtype)
        width = dtype.itemsize * 8
        exponent = {torch.float64: 11, torch.float32: 8, torch.float16: 5, torch.bfloat16: 8, torch.float8_e4m3fn: 4,
                    torch.float8_e5m2: 5}[dtype]
        mantissa = width - 1 - exponent
        one, highest = (2 ** (exponent - 1) - 1) << mantissa, (2**exponent - 1) << mantissa
        has_infinities = dtype != torch.float8_e4m3fn  # whose only NaN has all bits but the sign
        nan = highest | 2 ** (mantissa - 1) if has_infinities else highest + 2**mantissa - 1
        largest = (highest if has_infinities else nan) - 1
        bits = [0, 1, 2**mantissa - 1, 2**mantissa, one, one + 1, one - 2**mantissa, one + 2**mantissa, largest,
                highest if has_infinities else largest, nan]
        listed = np.array(bits, dtype=np.uint64)[words[1] % np.uint64(11)]
        listed = np.where(negative & (listed != np.uint64(nan)), listed | np.uint64(2 ** (width - 1)), listed)
        listed = torch.from_numpy(listed.astype(f"uint{width}").view(f"int{width}")).view(dtype)
        return torch.where(torch.from_numpy(ordinary), converted(usual, dtype), listed)
    return elements


def values(listed):
    """These numbers, row-major."""
    def elements(index, dtype):
        kind = np.float64 if any(isinstance(value, float) for value in listed) else np.int64
        numbers = np.array(listed, dtype=kind)[index.astype(np.int64)]
        return torch.from_numpy(numbers != 0) if dtype == torch.bool else rounded(torch.from_numpy(numbers), dtype)
    return elements


# --- memory -----------------------------------------------------------------------------------------------------------


def raw(tensor):
    """The elements' bits, as integers."""
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.view(kinds[tensor.dtype.itemsize]).numpy()


def memory(dtype, sizes, strides, offset=0):
    """A tensor of these strides and this offset, in elements, in memory of its own, which holds poison."""
    reach = 0 if 0 in sizes else 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))
    count = (offset + reach) * dtype.itemsize
    poison = torch.full((-count % 64 + count + 64,), 0xFF if dtype.is_floating_point else 0x5A, dtype=torch.uint8)
    return torch.as_strided(poison.view(dtype), sizes, strides, offset)


def place(elements, dtype, sizes, strides=None, offset=0, peak=None):
    """memory() that holds these elements; of those that share memory, the last one in row-major order.

    peak = (value, axis, index): the elements with this index along the axis are `value`; axis -1: all axes as one.
    """
    dense = [1] * len(sizes)
    for axis in reversed(range(len(sizes) - 1)):
        dense[axis] = dense[axis + 1] * max(sizes[axis + 1], 1)
    strides = dense if strides is None else strides
    tensor = memory(dtype, sizes, strides, offset)
    if tensor.numel() == 0:
        return tensor
    index, at = np.zeros((), dtype=np.uint64), np.zeros((), dtype=np.int64)
    high = np.zeros((), dtype=bool)
    for axis, (size, stride) in enumerate(zip(sizes, strides)):
        along = np.arange(size - 1 if stride == 0 else 0, size)
        if peak and peak[1] == axis:
            high = high[..., None] | (along == (peak[2] + size if peak[2] < 0 else peak[2]))
        else:
            high = np.repeat(high[..., None], len(along), axis=-1)
        index = index[..., None] + (along * dense[axis]).astype(np.uint64)
        at = at[..., None] + along * stride
    drawn = elements(index.reshape(-1), dtype)
    if peak and peak[1] == -1:
        high = index == (peak[2] + int(np.prod(sizes)) if peak[2] < 0 else peak[2])
    if peak:
        raw(drawn)[high.reshape(-1)] = raw(converted(np.full(1, float(peak[0])), dtype))
    raw(torch.as_strided(tensor, (int(at.max()) + 1,), (1,), offset))[at.reshape(-1)] = raw(drawn)
    return tensor


# --- the program ------------------------------------------------------------------------------------------------------


def results(function, run):
    """The outputs of a run as tensors; numbers become tensors without axes."""
    wrap = {bool: boolean, int: i64, float: f64}
    return [wrap[type(value)](value) if type(value) in wrap else value for value in function(*run())]


def dense_bits(tensor):
    return raw(tensor.detach().contiguous().reshape(-1))


def describe(tensor):
    bits = dense_bits(tensor)
    first = ", ".join(str(value) for value in tensor.reshape(-1)[:4].tolist())
    more = ", …" if tensor.numel() > 4 else ""
    return f"{str(tensor.dtype)[6:]}{list(tensor.shape)}  crc32 {zlib.crc32(bits.tobytes()):08x}  {first}{more}"


def difference(eager, other):
    """Where the bits differ; all NaN are equal. "" where they do not."""
    if eager.dtype != other.dtype or eager.shape != other.shape:
        return f"compiled gives {str(other.dtype)[6:]}{list(other.shape)}"
    unequal = torch.from_numpy(dense_bits(eager) != dense_bits(other))
    one, two = eager.reshape(-1), other.reshape(-1)
    unequal &= ~(torch.isnan(one) & torch.isnan(two))
    where = unequal.nonzero().reshape(-1).tolist()
    if not where:
        return ""
    place = tuple(int(axis) for axis in np.unravel_index(where[0], eager.shape))
    return f"{len(where)} of {eager.numel()} differ, first {place}: eager {one[where[0]]}, compiled {two[where[0]]}"


def first_line(error):
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", action="store_true", help="run it through torch.compile, too, and say where bits differ")
    parser.add_argument("--save", metavar="FILE.npz", help="save the outputs' bits as integers")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    saved, differ = {}, False
    for run in RUNS:
        try:
            outputs = results(fusion, run)
        except Exception as error:
            print(f"{run.__name__}: PyTorch refuses it: {first_line(error)}")
            continue
        compiled = outputs
        if arguments.compile:
            try:
                compiled = results(torch.compile(fusion), run)
            except Exception as error:
                print(f"{run.__name__}: torch.compile fails: {first_line(error)}")
                differ = True
        for name, output, other in zip(OUTPUTS, outputs, compiled):
            print(f"{run.__name__}: {name}: {describe(output)}")
            saved[f"{run.__name__}.{name}"] = raw(output.detach().contiguous())
            if problem := difference(output, other):
                differ = True
                print(f"    {problem}")
    if arguments.save:
        np.savez(arguments.save, **saved)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
