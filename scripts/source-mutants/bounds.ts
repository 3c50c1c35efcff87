/**
 * Mutants of the checks that keep accesses in bounds, in compiled code and in the reference engine: each must be noticed
 * by programs of addresses (bounds-checks.ts).
 */
import type { SourceMutant } from './run.ts'

const mutantsOf =
  (file: string) =>
  (why: string, find: string, replace: string, noticedBy: string): SourceMutant => ({
    file,
    find,
    replace,
    why,
    noticedBy,
  })

const site = mutantsOf('src/engine/wasm/emit/bounds-check-site.ts')
const pattern = mutantsOf('src/engine/wasm/emit/pattern-address.ts')
const lanes = mutantsOf('src/engine/wasm/emit/lane-address.ts')
const scalar = mutantsOf('src/engine/wasm/emit/scalar-address.ts')
const load = mutantsOf('src/engine/wasm/emit/load.ts')
const store = mutantsOf('src/engine/wasm/emit/store.ts')
const atomic = mutantsOf('src/engine/wasm/emit/atomic.ts')
const privates = mutantsOf('src/engine/wasm/emit/private-array.ts')
const scalars = mutantsOf('src/engine/wasm/emit/scalar-ops.ts')
const vectors = mutantsOf('src/engine/wasm/emit/vector-ops.ts')
const texels = mutantsOf('src/engine/texture/texel-place.ts')
const elements = mutantsOf('src/engine/texture/texel-code.ts')
const descriptor = mutantsOf('src/engine/wasm/run/descriptor.ts')
const access = mutantsOf('src/engine/reference/compile/access.ts')
const typed = mutantsOf('src/engine/reference/compile/typed.ts')
const operand = mutantsOf('src/engine/reference/compile/operand.ts')
const destination = mutantsOf('src/engine/reference/compile/destination.ts')
const textures = mutantsOf('src/machine/sampling/access.ts')

const COMPILED: readonly SourceMutant[] = [
  site('the last dword of an access is not counted', 'last: largest(0, dwords) }', 'last: 0 }', 'raw g#, load of four'),
  site(
    'what may be is half as large',
    '0xffffffff >>> Math.clz32(maybe)',
    '0x7fffffff >>> Math.clz32(maybe)',
    'raw g#, load',
  ),
  site(
    'every offset is taken for aligned',
    '(e.facts(offset).maybe & 3) === 0',
    '(e.facts(offset).maybe & 0) === 0',
    'raw-srv',
  ),
  site(
    'an index one past shared memory is safe',
    'bound(e, address.index) < address.space.count',
    'bound(e, address.index) <= address.space.count',
    'index of g#, load',
  ),
  site(
    'a constant offset is inside without room',
    "return room >= 0 && (c & ~3) >>> 0 <= room ? 'inside'",
    "return (c & ~3) >>> 0 <= room + 4 ? 'inside'",
    'offset in g#, load',
  ),
  site(
    'an offset that may pass the structure by a dword is inside',
    "return boundDword(e, offset) <= room ? 'inside'",
    "return boundDword(e, offset) <= room + 4 ? 'inside'",
    'offset in g#, store of two',
  ),
  site(
    'the room in a structure lacks the last dword',
    'const room = stride - 4 * site.last - 4\n  // Shared',
    'const room = stride - 4 * site.last\n  // Shared',
    'offset in g#, load',
  ),
  site(
    'a raw access one dword past shared memory is safe',
    '+ 4 * site.last + 4 <= space.byteLength',
    '+ 4 * site.last <= space.byteLength',
    'raw g#, load',
  ),
  site(
    'the components of a raw access of shared memory are not counted',
    '+ 4 * site.last + 4 <= space.byteLength',
    '+ 4 <= space.byteLength',
    'raw g#, load of four',
  ),
  site(
    'structures are counted in bytes',
    "address.index === undefined ? 'byteLength' : 'elementCount')",
    "'byteLength')",
    'index of t#, load',
  ),
  site(
    'raw shared memory has as many bytes as structures',
    'address.index === undefined ? space.byteLength : space.count',
    'space.byteLength',
    'index of g#, load',
  ),
  pattern('the span of a pattern may pass 2^32', 'const MAX_SPAN = 2 ** 24', 'const MAX_SPAN = 2 ** 40', 'typed-uav'),
  pattern(
    'the last bytes of a wave are not counted',
    'pushLimit(e, address), 4 * site.last + 3)',
    'pushLimit(e, address), 0)',
    'raw g#, load of four',
  ),
  pattern(
    'the highest lane is not counted',
    'const span = Math.max(...pattern) - least + extra',
    'const span = extra',
    'raw g#, load',
  ),
  pattern(
    'the lowest lane is not counted',
    'if (least !== 0) f.i32(least).op(OP.i32Add)\n  limit()',
    'limit()',
    'index of g#, load',
  ),
  pattern(
    'spans are not held against the limit',
    'if (span > 0) f.get(t)',
    'if (span < 0) f.get(t)',
    'offset in g#, load',
  ),
  pattern(
    'a wave may end one past the limit',
    'f.tee(t).i32(span).op(OP.i32Sub).op(OP.i32LtU)',
    'f.tee(t).i32(span).op(OP.i32Sub).op(OP.i32LeU)',
    'index of g#, load',
  ),
  pattern('a structure may be one dword longer', 'f.i32(room + 1)', 'f.i32(room + 5)', 'offset in g#, load'),
  pattern(
    'the index of a wave is not looked at',
    'const needsIndex = !isSafeIndex(e, address)',
    'const needsIndex = false',
    'index of g#, load',
  ),
  pattern(
    'the first lane may be misaligned',
    'e.f.i32(3).op(OP.i32And).op(OP.i32Eqz)',
    'e.f.i32(0).op(OP.i32And).op(OP.i32Eqz)',
    'structured-srv',
  ),
  lanes(
    'lanes are in bounds one past a structure view',
    'f.simd(SIMD.i32Splat).simd(SIMD.i32LtU)\n  }\n  if (check',
    'f.simd(SIMD.i32Splat).simd(SIMD.i32LeU)\n  }\n  if (check',
    'index of t#, load',
  ),
  lanes(
    'lanes may reach a dword past the structure',
    'e.pushConstant(address.stride - 4 * site.last - 4)\n    f.simd(SIMD.i32LeU)\n    if',
    'e.pushConstant(address.stride - 4 * site.last)\n    f.simd(SIMD.i32LeU)\n    if',
    'offset in t#, load',
  ),
  lanes(
    'an offset outside is taken for dynamic',
    "if (check === 'outside') {\n    e.pushConstant(0)",
    "if (check === 'outside') {\n    e.pushConstant(0xffffffff)",
    'structured-uav',
  ),
  lanes(
    'the last dword of lanes is not counted',
    'e.pushConstant(4 * last)\n  f.simd(SIMD.i32Add)\n  pushByteLimit(e, address)',
    'e.pushConstant(0)\n  f.simd(SIMD.i32Add)\n  pushByteLimit(e, address)',
    'raw g#, load of four',
  ),
  lanes(
    'offsets of lanes may wrap',
    'f.get(offset)\n  pushByteLimit(e, address)\n  f.simd(SIMD.i32Splat).simd(SIMD.i32LtU)',
    'e.pushConstant(0xffffffff)',
    'raw g#, load',
  ),
  lanes('misaligned lanes are not rounded down', 'e.pushConstant(~3)', 'e.pushConstant(~0)', 'raw-srv'),
  lanes(
    'lanes out of bounds keep their address',
    'if (ok !== undefined) f.get(ok).simd(SIMD.and)\n  f.set(result)',
    'f.set(result)',
    'raw g#, load',
  ),
  scalar(
    'a wave of one address may pass the structures by one',
    'pushLimit(e, address)\n    f.op(OP.i32LtU)\n  }\n  if (check',
    'pushLimit(e, address)\n    f.op(OP.i32LeU)\n  }\n  if (check',
    'index of t#, load',
  ),
  scalar(
    'a wave of one address may pass the structure by a dword',
    'f.i32(address.stride - 4 * site.last - 4)\n    .op(OP.i32LeU)',
    'f.i32(address.stride - 4 * site.last)\n    .op(OP.i32LeU)',
    'offset in t#, load',
  ),
  scalar(
    'the first test against sums that wrap is missing',
    '// The first test excludes offsets whose sum would wrap.\n  f.op(OP.i32LtU)',
    'f.op(OP.drop).op(OP.drop).i32(1)',
    'raw-srv',
  ),
  scalar('each dword is checked as the first', '.i32(4 * dword)', '.i32(0 * dword)', 'raw g#, load of four'),
  scalar('a misaligned address is not rounded down', 'f.i32(-4).op(OP.i32And)', 'f.i32(-1).op(OP.i32And)', 'raw-srv'),
  scalar(
    'an index of shared memory is not checked',
    'if (address.index !== undefined) {\n    e.scalarI(address.index)\n    pushLimit(e, address)\n    f.op(OP.i32LtU).op(OP.i32And)',
    'if (address.index !== undefined) {',
    'index of g#, load',
  ),
  load(
    'dwords of a vector load are not checked one by one',
    'quietAddresses(e, site, i, c)',
    'quietAddresses(e, site, i, 0)',
    'raw-srv',
  ),
  load(
    'a wave loads although a lane is outside',
    '  check()\n  f.if(',
    '  check()\n  f.op(OP.drop).i32(1)\n  f.if(',
    'raw-srv',
  ),
  store(
    'dwords of a vector store are not checked one by one',
    'const dword = quietAddresses(e, site, i, c)',
    'const dword = quietAddresses(e, site, i, 0)',
    'raw-uav',
  ),
  store(
    'lanes that are not active store',
    "if (mask !== 'full') f.get(mask[i]!).simd(SIMD.and)\n  f.simd(SIMD.bitselect)",
    'f.simd(SIMD.bitselect)',
    'raw-uav',
  ),
  store(
    'stores out of bounds go to address 0',
    'f.get(addresses).get(e.dumpSplat)\n  f.get(addresses)',
    'f.get(addresses).get(addresses)\n  f.get(addresses)',
    'raw-uav',
  ),
  atomic(
    'atomics of lanes that are not active happen',
    "if (mask !== 'full') f.get(mask[i]!).simd(SIMD.and)\n  f.set(valid)",
    'f.set(valid)',
    'raw-uav',
  ),
  privates(
    'a lane may reach the array after its own',
    'f.get(t).i32(count).op(OP.i32LtU)',
    'f.get(t).i32(count).op(OP.i32LeU)',
    'x# of 3, load',
  ),
  privates(
    'a constant index past the array is used',
    'c !== undefined && c < count',
    'c !== undefined && c <= count',
    'x# of 3, load',
  ),
  privates(
    'a wave loads past a private array',
    'f.i32(0)\n      e.scalarI(item.index)\n      f.i32(count).op(OP.i32LtU)',
    'f.i32(0)\n      e.scalarI(item.index)\n      f.i32(count).op(OP.i32LeU)',
    'x# of 3, load',
  ),
  privates(
    'a wave stores past a private array',
    'f.get(e.dump)\n      e.scalarI(item.index)\n      f.i32(count).op(OP.i32LtU)',
    'f.get(e.dump)\n      e.scalarI(item.index)\n      f.i32(count).op(OP.i32LeU)',
    'x# of 3, store',
  ),
  scalars(
    // Up to 4096 constants what follows those that are bound is a copy's zeros, so that only the largest buffer shows it.
    'a wave reads a constant past its buffer',
    "e.pushDescriptor(binding, 'elementCount')",
    "e.pushDescriptor(binding, 'elementCount')\n  f.i32(1).op(OP.i32Add)",
    'cb# of 4096',
  ),
  scalars(
    'a wave reads an immediate constant past the last',
    'f.get(t).i32(e.settings.immediateConstantCount).op(OP.i32LtU)',
    'f.get(t).i32(e.settings.immediateConstantCount).op(OP.i32LeU)',
    'icb',
  ),
  vectors(
    'lanes read constants one past the last',
    'f.op(OP.i32LtU).op(OP.select).memory(OP.i32Load, 2, offset)',
    'f.op(OP.i32LeU).op(OP.select).memory(OP.i32Load, 2, offset)',
    'icb',
  ),
  vectors(
    'lanes read a constant past the buffer',
    "() => e.pushDescriptor(binding, 'elementCount')",
    "() => {\n      e.pushDescriptor(binding, 'elementCount')\n      e.f.i32(1).op(OP.i32Add)\n    }",
    'cb# of 4096',
  ),
  texels(
    'x may be the width',
    'let valid = o.u32Less(x, level.width)',
    'let valid = o.not(o.u32Less(level.width, x))',
    'texture-srv',
  ),
  texels('y is not checked', 'valid = o.and(valid, o.u32Less(y, level.height))', '', 'texture-srv'),
  texels(
    'slices are held against the depth',
    "dimension === 'texture3d' ? level.depth : count",
    'level.depth',
    'texture-srv',
  ),
  texels('depth is held against the slices', "dimension === 'texture3d' ? level.depth : count", 'count', 'texture-srv'),
  texels('one mip too many', 'o.constant(count - first))', 'o.constant(count - first + 1))', 'texture-srv'),
  texels('samples are not checked', 'valid = o.and(valid, has)', '', 'texture-srv'),
  elements(
    'elements of typed views may be one past the end',
    'const valid = o.u32Less(x, limit)',
    'const valid = o.not(o.u32Less(limit, x))',
    'typed-srv',
  ),
  descriptor(
    'a view reaches to the end of its buffer',
    'fields[DESCRIPTOR.byteLength] = view.byteLength',
    'fields[DESCRIPTOR.byteLength] = view.resource.byteLength',
    'raw-srv',
  ),
  descriptor(
    'a view has one element more',
    'fields[DESCRIPTOR.elementCount] = view.elementCount',
    'fields[DESCRIPTOR.elementCount] = view.elementCount + 1',
    'structured-srv',
  ),
]

const REFERENCE: readonly SourceMutant[] = [
  access(
    'reference: a raw dword may pass the view',
    'if (byte + 4 <= slot.byteLength)',
    'if (byte <= slot.byteLength)',
    'raw-srv',
  ),
  access(
    'reference: raw dwords are checked as the first',
    'if (byte + 4 <= slot.byteLength)',
    'if (address + 4 <= slot.byteLength)',
    'raw-srv',
  ),
  access(
    'reference: an index may be the count',
    'else if (index >= slot.count)',
    'else if (index > slot.count)',
    'index of t#, load',
  ),
  access(
    'reference: a byte offset may pass the structure',
    'else if (inside + reach > slot.stride)',
    'else if (inside > slot.stride)',
    'offset in t#, load',
  ),
  access(
    'reference: the components of a structure are not counted',
    'const reach = (largest(0, dwords) + 1) * 4',
    'const reach = 4',
    'offset in t#, load of two',
  ),
  access(
    'reference: shared memory is a dword longer',
    'if (byte + 4 <= byteLength)',
    'if (byte <= byteLength)',
    'raw g#, load',
  ),
  access(
    'reference: the sum of a shared address wraps',
    'const byte = index * stride + inside',
    'const byte = (Math.imul(index, stride) + inside) >>> 0',
    'index of g#, load',
  ),
  access(
    'reference: misaligned addresses are rounded to 8',
    'byteOffset - (byteOffset & 3)',
    'byteOffset - (byteOffset & 7)',
    'raw-srv',
  ),
  typed(
    'reference: a typed element may be the count',
    '} else if (x < slot.count) {',
    '} else if (x <= slot.count) {',
    'typed-srv',
  ),
  typed(
    'reference: typed views begin where their buffer does',
    'at.byteOffset = slot.byteOffset + x *',
    'at.byteOffset = 0 + x *',
    'typed-srv',
  ),
  operand(
    'reference: an element of x# may be the count',
    'if (element < count) I[scratch + l]',
    'if (element <= count) I[scratch + l]',
    'x# of 3, load',
  ),
  operand(
    'reference: the last immediate constant is not there',
    'I[scratch + l] = element < count ?',
    'I[scratch + l] = element + 1 < count ?',
    'icb of 3',
  ),
  destination(
    'reference: x# is written past its end',
    'if (element >= count)',
    'if (element > count)',
    'x# of 3, store',
  ),
  textures('reference: x may be the width', 'if (x >= level.width ||', 'if (x > level.width ||', 'texture-srv'),
  textures('reference: y may be the height', 'p.y >= level.height', 'p.y > level.height', 'texture-uav'),
  textures('reference: a slice may be the count', 'p.slice >= p.slices', 'p.slice > p.slices', 'texture-srv'),
  textures(
    'reference: a sample may be the count',
    'sample >= view.sampleCount) return -1',
    'sample > view.sampleCount) return -1',
    'texture-srv',
  ),
  textures(
    'reference: depth is held against the slices',
    'PLACE.slices = level.depth',
    'PLACE.slices = view.arraySize',
    'texture-srv',
  ),
]

export const BOUNDS_MUTANTS: readonly SourceMutant[] = [...COMPILED, ...REFERENCE]
