// How fast the pixels of the scene blend can be with vectors of 128 bits: the least possible loop over whole rows of pixels, written by hand
// in WebAssembly, three times. No coverage, no quads, one triangle's planes: what draws do beside is not in it, so that it limits what
// a ratio to lavapipe, which has 256 bits, can be. In time of the processor, one thread, beside frames of the scene.
//   float32   four attributes as planes, blended in float32, codes by the bits of a sum
//   doubles   four attributes by two edge functions as `exact` defines them, the same blending
//   8 bits    four attributes as planes, made codes first and blended in whole numbers of 16 bits, as lavapipe does
// npm run bench -- floors
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { from, valueFrom } from './kernels.mjs'
import { leastProcessorTime } from './measure.mjs'

/** The scene's target has as many pixels a side; and its frame of 40 triangles as many pixels. */
const SIZE = 1024
const SCENE_PIXELS = 21.6e6
/** A frame of the scene on lavapipe with one thread, of results/draws.md. */
const LAVAPIPE_MS = 66.5

/** Where numbers and pixels lie: v128s that loops read, one float or double for all lanes; then the target. */
const TARGET = 65536
const ATTRIBUTES = [0, 1, 2, 3]

/** Operations that the engine does not emit, after the prefix 0xfd. */
const I8_SHUFFLE = 13
/** The alpha of each of four pixels in all its components. */
const ALPHAS = [3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15]
const I16 = { narrowU: 134, extendLowU: 137, extendHighU: 138, shrU: 141, add: 142, sub: 145, mul: 149 }
const I8_NARROW_U = 102

const float = (value) => new Int32Array(new Float32Array([value]).buffer)[0]

/** A function over all pixels: `pixel` leaves the words of four pixels on the stack, whose address is in a local. */
function moduleOf({ FunctionAssembler, V128, I32, assembleModule, OP, SIMD }, pixel) {
  const f = new FunctionAssembler(0)
  const at = f.local(I32)
  const x = f.local(V128)
  const constants = new Map()
  /** A vector constant, set before the loop. */
  const all = (bits) => {
    const known = constants.get(bits)
    const local = known ?? f.local(V128)
    if (known === undefined) constants.set(bits, local)
    return local
  }
  const local = () => f.local(V128)
  const body = new FunctionAssembler(0)
  // Locals are numbered by f; the code of the loop is written first, to know its constants.
  pixel({ f: body, at, x, all, local, SIMD, OP })
  for (const [bits, l] of constants) f.v128([bits, bits, bits, bits]).set(l)
  f.v128([0, 1, 2, 3].map(float)).set(x)
  f.i32(TARGET).set(at)
  f.code.byte(OP.loop, 0x40)
  f.get(at)
  f.code.append(body.code.bytes())
  f.simdMemory(SIMD.store, 4)
  f.get(x)
    .get(all(float(4)))
    .simd(SIMD.f32Add)
    .set(x)
  f.get(at).i32(16).op(OP.i32Add).tee(at)
  f.i32(TARGET + SIZE * SIZE * 4).op(OP.i32LtU)
  f.code.byte(OP.brIf, 0, OP.end, OP.end)
  const bytes = assembleModule(
    [],
    [{ signature: { params: [], results: [] }, locals: f.locals, code: f.code.bytes(), exported: 'run' }],
    false,
  )
  const memory = new WebAssembly.Memory({ initial: 2 + Math.ceil((TARGET + SIZE * SIZE * 4) / 65536), maximum: 65536 })
  const floats = new Float32Array(memory.buffer)
  const doubles = new Float64Array(memory.buffer)
  // Small numbers, so that colors stay between 0 and 1 over a row; doubles lie behind the floats.
  for (let i = 0; i < 256; i++) floats[i] = 1e-7 * (1 + i)
  for (let i = 128; i < 512; i++) doubles[i] = 1e-7 * i
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } }).exports.run
}

/** Attributes as planes: what a row has, and by how much a pixel changes it. */
function planes({ f, x, local, SIMD }) {
  return ATTRIBUTES.map((n) => {
    const color = local()
    f.i32(0).simdMemory(SIMD.load32Splat, 2, n * 8)
    f.get(x)
      .i32(0)
      .simdMemory(SIMD.load32Splat, 2, n * 8 + 4)
    f.simd(SIMD.f32Mul).simd(SIMD.f32Add).set(color)
    return color
  })
}

/** Attributes by weights of doubles: two edge functions that change by a step, over the area. */
function weighted({ f, local, SIMD }) {
  const double = (n) => f.i32(0).simdMemory(SIMD.load64Splat, 3, 1024 + n * 8)
  const weights = [0, 1].map((edge) =>
    [0, 1].map((half) => {
      const weight = local()
      const place = 2048 + (edge * 2 + half) * 16
      // The edge function is kept in memory, where a loop has no register for it.
      f.i32(0).i32(0).simdMemory(SIMD.load, 4, place)
      double(0)
      f.simd(SIMD.f64Add).tee(weight).simdMemory(SIMD.store, 4, place)
      f.get(weight)
      double(1)
      f.simd(SIMD.f64Mul).set(weight)
      return weight
    }),
  )
  return ATTRIBUTES.map((n) => {
    const color = local()
    for (const half of [0, 1]) {
      double(2 + n * 3)
      for (const edge of [0, 1]) {
        double(3 + n * 3 + edge)
        f.get(weights[edge][half]).simd(SIMD.f64Mul).simd(SIMD.f64Add)
      }
      f.simd(SIMD.f32DemoteF64Zero)
    }
    f.shuffle(0, 1, 4, 5).set(color)
    return color
  })
}

/** Clamps the colors, as blending into UNORM says. */
function clamp({ f, all, SIMD }, colors) {
  for (const c of colors) {
    f.get(all(float(1)))
      .get(all(0))
      .get(c)
      .simd(SIMD.f32Pmax)
      .simd(SIMD.f32Pmin)
      .set(c)
  }
}

/** SRC_ALPHA and INV_SRC_ALPHA in float32, in units of a code; leaves the words. */
function blendFloats(o, colors) {
  const { f, at, all, local, SIMD } = o
  clamp(o, colors)
  const [pixels, scaled, rest] = [local(), local(), local()]
  f.get(at).simdMemory(SIMD.load, 4).set(pixels)
  f.get(colors[3])
    .get(all(float(255)))
    .simd(SIMD.f32Mul)
    .set(scaled)
  f.get(all(float(1)))
    .get(colors[3])
    .simd(SIMD.f32Sub)
    .set(rest)
  // From the highest component down: a code is the low bits of a sum with 2^23, and what lies above them is subtracted at the end.
  for (const n of [3, 2, 1, 0]) {
    if (n < 3) f.i32(8).simd(SIMD.i32Shl)
    f.get(n === 3 ? all(float(1)) : colors[n])
      .get(scaled)
      .simd(SIMD.f32Mul)
    f.get(pixels)
    if (n > 0) f.i32(n * 8).simd(SIMD.i32ShrU)
    if (n < 3) f.get(all(255)).simd(SIMD.and)
    f.simd(SIMD.f32ConvertS).get(rest).simd(SIMD.f32Mul).simd(SIMD.f32Add)
    f.get(all(float(2 ** 23))).simd(SIMD.f32Add)
    if (n < 3) f.simd(SIMD.i32Add)
  }
  f.get(all([0, 8, 16, 24].reduce((sum, shift) => (sum + (float(2 ** 23) << shift)) | 0, 0))).simd(SIMD.i32Sub)
}

/** The same in whole numbers: colors become codes, then d + (s - d) * a / 255 of 16 bits. */
function blendCodes(o, colors) {
  const { f, at, all, local, SIMD } = o
  clamp(o, colors)
  const [source, pixels, sum] = [local(), local(), local()]
  for (const n of [3, 2, 1, 0]) {
    if (n < 3) f.i32(8).simd(SIMD.i32Shl)
    f.get(colors[n])
      .get(all(float(255)))
      .simd(SIMD.f32Mul)
      .get(all(float(2 ** 23)))
      .simd(SIMD.f32Add)
    f.get(all(255)).simd(SIMD.and)
    if (n < 3) f.simd(SIMD.or)
  }
  f.set(source)
  f.get(at).simdMemory(SIMD.load, 4).set(pixels)
  for (const extend of [I16.extendLowU, I16.extendHighU]) {
    f.get(source).simd(extend).get(source).get(source).simd(I8_SHUFFLE)
    f.code.byte(...ALPHAS)
    f.simd(extend).simd(I16.mul)
    f.get(pixels).simd(extend).get(all(0x00ff00ff)).get(source).get(source).simd(I8_SHUFFLE)
    f.code.byte(...ALPHAS)
    f.simd(extend).simd(I16.sub).simd(I16.mul).simd(I16.add)
    // The quotient by 255, rounded.
    f.get(all(0x00800080)).simd(I16.add).tee(sum).get(sum).i32(8).simd(I16.shrU).simd(I16.add).i32(8).simd(I16.shrU)
  }
  f.simd(I8_NARROW_U)
}

const FLOORS = {
  'float32 planes, float32 blending': (o) => blendFloats(o, planes(o)),
  'weights of doubles, float32 blending': (o) => blendFloats(o, weighted(o)),
  'float32 planes, blending of 8 bits': (o) => blendCodes(o, planes(o)),
}

const nanoseconds = (ms, pixels) => (ms * 1e6 * 4) / pixels
const line = (name, ns) =>
  console.log(`| ${name} | ${ns.toFixed(1)} | ${(nanoseconds(LAVAPIPE_MS, SCENE_PIXELS) / ns).toFixed(2)} |`)

/** A frame of the scene on one thread. */
async function frameOf(precision) {
  const { parseDescriptionText } = await import(from('job/index'))
  const { prepareFrame } = await import(from('job/frame/index'))
  const { createHost } = await import(from('host/node/job-host'))
  const { createWasmEngineWith } = await import(from('engine/wasm/index'))
  const folder = fileURLToPath(new URL('../test/draws/blend/', import.meta.url))
  const { frame } = valueFrom(parseDescriptionText(readFileSync(`${folder}scene.json`, 'utf8')))
  const pipelines = frame.pipelines.map((p) => (p.kind === 'graphics' ? { ...p, precision } : p))
  const host = createHost({ folder })
  const { commands } = valueFrom(prepareFrame({ ...frame, pipelines }, host, createWasmEngineWith({ threads: 1 })))
  return async () => {
    for (const c of commands) await c.run({ maxMilliseconds: 60000 })
  }
}

export async function run() {
  const parts = {
    ...(await import(from('engine/wasm/encode/assembler'))),
    ...(await import(from('engine/wasm/encode/writer'))),
    ...(await import(from('engine/wasm/encode/opcodes'))),
  }
  console.log('| pixels of blend | ns a quad | lavapipe / this |\n| --- | --- | --- |')
  for (const [name, pixel] of Object.entries(FLOORS)) {
    const work = moduleOf(parts, pixel)
    const least = await leastProcessorTime(() => work(), 30, 1500)
    line(name, nanoseconds(least, SIZE * SIZE))
  }
  for (const precision of ['exact', 'fast']) {
    const least = await leastProcessorTime(await frameOf(precision), 10, 3000)
    line(`a frame of Heddle, ${precision}`, nanoseconds(least, SCENE_PIXELS))
  }
  line('a frame of lavapipe, recorded', nanoseconds(LAVAPIPE_MS, SCENE_PIXELS))
}
