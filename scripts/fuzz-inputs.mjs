// Inputs for `fuzz.mjs`: mutants of corpus files and texts, programs with very many of one thing, run descriptions.
// Every input follows from its seed alone. Most are small, since most faults show in small ones and cost little there;
// one in a hundred of every kind is large, for what grows faster than its input.

/** mulberry32: a small generator whose whole state is its seed. */
export function random(seed) {
  let a = seed >>> 0
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = Math.imul(a ^ (a >>> 15), a | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const pick = (n) => Math.floor(next() * n)
  return { next, pick, of: (list) => list[pick(list.length)], size: 'small' }
}

/** How many inputs of every kind are large and medium; the others are small. */
const LARGE = 0.008
const MEDIUM = 0.04

function drawSize({ next }) {
  const u = next()
  return u < LARGE ? 'large' : u < LARGE + MEDIUM ? 'medium' : 'small'
}

/** Of a choice by size: small inputs, medium and large ones. */
const bySize = ({ size }, small, medium, large) => (size === 'small' ? small : size === 'medium' ? medium : large)

const LIES = [0, 1, 2, 3, 0x7f, 0xff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

/** One to several edits of bytes: flipped bits, dwords that lie, copied and removed stretches, truncation. */
export function mutateBytes(source, { pick, of }) {
  let bytes = source.slice()
  const view = () => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const edits = 1 + pick(6)
  for (let i = 0; i < edits && bytes.length > 8; i++) {
    const at = pick(bytes.length)
    const aligned = Math.min(at & ~3, (bytes.length & ~3) - 4)
    switch (pick(7)) {
      case 0:
        bytes[at] ^= 1 << pick(8)
        break
      case 1:
        view().setUint32(aligned, of(LIES), true)
        break
      case 2:
        view().setUint32(aligned, pick(bytes.length * 2), true)
        break
      case 3:
        bytes = bytes.slice(0, at)
        break
      case 4:
        bytes.copyWithin(pick(bytes.length), at, Math.min(bytes.length, at + pick(64)))
        break
      case 5: {
        // A dword that is a small multiple of another: offsets that point back, cycles.
        view().setUint32(aligned, view().getUint32(pick((bytes.length >> 2) - 1) * 4, true), true)
        break
      }
      default:
        bytes[at] = pick(256)
    }
  }
  return bytes
}

const WORDS = 'l( ) [ ] { } r4294967295 - | .xyzw , if_nz loop cb0[r0.x\u0020+\u0020 " 1e999 dcl_ ( 0x é \0 // .chunk'
  .split(' ')
  .concat('\n')

/** Characters of a text at most. */
const MAX_TEXT = 400_000

/** Edits of text: characters, words, lines doubled and removed, deep nesting, truncation. */
export function mutateText(source, r) {
  const { pick, of } = r
  const repetitions = bySize(r, 12, 300, 30_000)
  let text = source
  const edits = 1 + pick(6)
  for (let i = 0; i < edits; i++) {
    const at = pick(text.length + 1)
    const word = of(WORDS)
    switch (pick(7)) {
      case 0:
        text = text.slice(0, at) + String.fromCharCode(pick(256)) + text.slice(at + 1)
        break
      case 1: {
        // A line many times.
        const start = text.lastIndexOf('\n', at) + 1
        const end = text.indexOf('\n', at) + 1 || text.length
        const line = text.slice(start, end)
        // A line may itself have become long.
        const most = Math.min(repetitions, Math.floor(MAX_TEXT / Math.max(1, line.length)))
        text = text.slice(0, end) + line.repeat(1 + pick(Math.max(1, most))) + text.slice(end)
        break
      }
      case 2:
        text = text.slice(0, at) + word + text.slice(at)
        break
      case 3:
        text = text.slice(0, at) + word.repeat(1 + pick(repetitions)) + text.slice(at)
        break
      case 4:
        text = text.slice(0, at)
        break
      case 5:
        text = text.slice(0, at) + text.slice(at + pick(80))
        break
      default:
        text = text.slice(0, at) + text.slice(pick(text.length + 1), pick(text.length + 1)) + text.slice(at)
    }
    if (text.length > MAX_TEXT) text = text.slice(0, MAX_TEXT)
  }
  return text
}

/** Bytes of an input that is made of repetitions: 32 to 2048 of a small one, 64 KB to 1 MB of a large one. */
function sizeOf(r) {
  const [least, span] = bySize(r, [5, 6], [11, 3], [16, 4])
  return 2 ** (least + span * r.next())
}

const container = (heddle, dxbc, data) =>
  heddle.writeDxbc(dxbc.makeDxbc([{ fourcc: 'SHEX', data: new Uint8Array(data.buffer ?? data) }]))

/** Dwords that a damaged or hostile program repeats: no such opcode, missing operands, chains of extended tokens. */
function tokenFlood(heddle, dxbc, r) {
  const count = sizeOf(r) >> 2
  const opcode = r.of([2032, r.pick(2048), r.pick(240), 54, 0x36])
  const unit = r.of([
    [0x01000000 | opcode],
    [0x81000036],
    [(0x7f000000 | opcode) >>> 0, ...new Array(126).fill(0x80000000)],
    [((1 + r.pick(5)) << 24) | opcode, 0x0010000a, r.pick(70_000)],
    [0x80000000 | r.pick(0x7fffffff)],
    [0],
  ])
  const words = new Uint32Array(2 + count)
  words[0] = r.of([0x00050050, 0x00050051, 0x00030050, 0x00000050, 0x00050040])
  words[1] = words.length
  for (let i = 2; i < words.length; i++) words[i] = unit[(i - 2) % unit.length]
  return container(heddle, dxbc, words)
}

/** The program of a corpus file with one range of its statements repeated many times, declarations with other numbers. */
function statementFlood(heddle, file, r) {
  const read = heddle.readDxbc(file).value
  const code = read && heddle.findCodeChunk(read)
  const program = code && heddle.decodeProgram(code.data).value
  if (!program || program.statements.length === 0) return undefined
  const { statements } = program
  const first = r.pick(statements.length)
  const unit = statements.slice(first, first + 1 + r.pick(r.next() < 0.7 ? 1 : 30))
  const dwords = Math.max(1, (heddle.encodeProgram({ ...program, statements: unit }).length >> 2) - 2)
  const count = Math.max(1, Math.floor(sizeOf(r) / 4 / dwords))
  const renumber = r.next() < 0.5
  const numbered = (s, n) => {
    const [index] = s.operands?.[0]?.indices ?? []
    if (!renumber || index?.kind !== 'immediate') return s
    const [operand, ...others] = s.operands
    const indices = [{ kind: 'immediate', value: (index.value + n) >>> 0 }, ...operand.indices.slice(1)]
    return { ...s, operands: [{ ...operand, indices }, ...others] }
  }
  const many = []
  for (let n = 0; n < count; n++) for (const s of unit) many.push(numbered(s, n))
  const all = [...statements.slice(0, first), ...many, ...statements.slice(first)]
  return heddle.writeDxbc(heddle.replaceChunk(read, code.fourcc, heddle.encodeProgram({ ...program, statements: all })))
}

/** Parts of a container many times: those that are there, or empty ones. */
function partFlood(heddle, file, r) {
  const read = heddle.readDxbc(file).value
  if (!read || read.chunks.length === 0) return undefined
  const part =
    r.next() < 0.5
      ? r.of(read.chunks)
      : { fourcc: r.of(['ABCD', 'ISGN', 'RDEF', 'SHEX', 'SPDB']), data: new Uint8Array(0) }
  const count = Math.max(1, Math.floor(sizeOf(r) / (12 + part.data.length)))
  const chunks = [...read.chunks, ...new Array(count).fill(part)]
  return heddle.writeDxbc({ checksum: { kind: 'computed' }, version: 1, chunks })
}

const HEAD =
  'dcl_globalFlags refactoringAllowed\ndcl_constantbuffer CB0[4], immediateIndexed\ndcl_resource_texturecube (float,float,float,float) t0\n' +
  'dcl_sampler s0, mode_default\ndcl_uav_structured u0, 4\ndcl_uav_raw u1\ndcl_input vThreadID.x\ndcl_input vThreadIDInGroup.x\n'

/** Blocks that are nested, or stand in a row: before and behind what is inside. */
const BLOCKS = [
  ['loop\nbreakc_nz r1.x\n', 'endloop\n'],
  ['loop\n', 'endloop\n'],
  ['if_nz r1.x\n', 'endif\n'],
  ['if_z vThreadID.x\n', 'else\nmov r0.x, l(1)\nendif\n'],
  ['switch r1.x\ncase l(1)\nmov r0.x, l(1)\nbreak\ndefault\n', 'break\nendswitch\n'],
  ['loop\nld_raw r1.x, l(0), u1.xxxx\nbreakc_nz r1.x\n', 'endloop\n'],
  ['loop\nbreakc_nz r1.x\nsync_g_t\n', 'endloop\n'],
]
const LINES = [
  'iadd r@.xyzw, r#.xyzw, r@.wzyx\n',
  'mov r@.xyzw, -r#.xyzw\n',
  'sincos r@.xyzw, r#.xyzw, r@.xyzw\n',
  'udiv r@.xyzw, r#.xyzw, r@.xyzw, r#.wzyx\n',
  'mul r@.x, r#.x, r@.x\nadd r#.x, r@.x, r#.x\n',
  'sample_d_indexable(texturecube)(float,float,float,float) r@.xyzw, r#.xyzw, t0.xyzw, s0, r@.xyzw, r#.xyzw\n',
  'mov x0[r@.x + 1].xyzw, r#.xyzw\nmov r@.x, x0[r#.x + 2].y\n',
  'ld_raw r@.xyzw, r#.x, u1.xyzw\nstore_raw u1.xyzw, r@.x, r#.xyzw\n',
  'atomic_iadd u1, r@.x, r#.x\n',
  'xor r@.x, r#.x, l(0x80000000)\n',
  'sync_g_t\n',
  'deriv_rtx r@.xyzw, r#.xyzw\n',
  'deriv_rty_coarse r@.xyzw, -r#.xyzw\n',
  'nop\n',
  'dcl_temps 4\n',
  'break\n',
]

/** Lines of one pattern after another, with registers of their own each. */
function lineRows(r, temps, total) {
  const changes = bySize(r, 0.3, 0.1, 0.02)
  const lines = []
  let pattern = r.of(LINES)
  for (let length = 0; length < total && lines.length < 20_000; length += lines.at(-1).length) {
    if (r.next() < changes) pattern = r.of(LINES)
    lines.push(pattern.replaceAll('@', r.pick(temps)).replaceAll('#', r.pick(temps)))
  }
  return lines
}

/** Rows of lines inside a nest of blocks, or with blocks among them. */
function blocksOf(r, temps) {
  const total = sizeOf(r) / 2
  const [open, close] = r.of(BLOCKS)
  const most = Math.min(bySize(r, 12, 100, 400), total / open.length)
  const depth = Math.floor(r.next() ** 2 * most) * (r.size === 'large' && r.next() < 0.2 ? 20 : 1)
  const body = lineRows(r, temps, total)
  return r.next() < 0.6
    ? open.repeat(depth) + body.join('') + close.repeat(depth)
    : body.map((t, i) => (i % 20 ? t : open + t + close)).join('')
}

const GROUPS = ['1, 1, 1', '4, 1, 1', '64, 1, 1', '8, 8, 1', '1024, 1, 1']

/** A shader of nests and rows, small in bytes or large, that costs what its structure costs. */
function structuredText(r) {
  const temps = bySize(r, r.of([4, 16]), 64, r.of([4, 64, 500]))
  const array = bySize(r, 4, 40, r.of([4, 400]))
  const declarations = `dcl_temps ${temps}\ndcl_indexableTemp x0[${array}], 4\n`
  const isPixel = r.next() < 0.15
  const body = blocksOf(r, temps)
  if (isPixel) {
    const ends = 'mov o0.xyzw, r0.xyzw\nret\n'
    const text = `ps_5_0\n${HEAD}${declarations}dcl_output o0.xyzw\n${body}${ends}`
    return text
      .replaceAll('dcl_input vThreadIDInGroup.x\n', '')
      .replace('dcl_input vThreadID.x', 'dcl_input_ps linear v0.xyzw')
      .replaceAll('vThreadID', 'v0')
  }
  const group = GROUPS[r.pick(bySize(r, 4, 5, 5))]
  return `cs_5_0\n${HEAD}${declarations}dcl_thread_group ${group}\n${body}store_structured u0.x, vThreadID.x, l(0), r0.x\nret\n`
}

const PHASES = [
  'hs_fork_phase\n',
  'hs_fork_phase\nret\n',
  'hs_fork_phase\ndcl_hs_fork_phase_instance_count 3\ndcl_input vForkInstanceID\nret\n',
  'hs_join_phase\ndcl_temps 1\nmov r0.x, l(1)\nret\n',
  'hs_fork_phase\ndcl_temps 2\ndcl_indexableTemp x0[3], 4\nmov r0.x, l(1)\nmov x0[r0.x + 0].x, r0.x\nret\n',
  'hs_control_point_phase\ndcl_output o0.xyzw\nmov o0.xyzw, l(0,0,0,0)\nret\n',
  'hs_fork_phase\ndcl_output_siv o0.x, finalTriUeq0EdgeTessFactor\nmov o0.x, l(1.0)\nret\n',
]

/** A hull shader of many phases. */
function hullText(r) {
  const head =
    'hs_5_0\nhs_decls\ndcl_input_control_point_count 3\ndcl_output_control_point_count 3\n' +
    'dcl_tessellator_domain domain_tri\ndcl_tessellator_partitioning partitioning_integer\n' +
    'dcl_tessellator_output_primitive output_triangle_cw\n'
  const phase = r.next() < 0.5 ? r.of(PHASES) : r.of(PHASES) + r.of(PHASES)
  const tail = r.next() < 0.2 ? 'label fb0\nret\n' : ''
  return head + phase.repeat(1 + Math.floor(sizeOf(r) / phase.length)) + tail
}

const NAMES = [
  'shader',
  'dispatch',
  'resources',
  'check',
  'expect',
  'print',
  'output',
  'options',
  'slot',
  'kind',
  'init',
  'stride',
  'size',
  'unbound',
  'x',
]
const VALUES = [
  0,
  -1,
  1.5,
  4,
  2 ** 40,
  1e308,
  '',
  'u0',
  't0',
  'structured',
  'raw',
  'R32_UINT',
  'zero',
  null,
  true,
  [],
  {},
  [1, 1, 1],
]

/** A run description of unlikely fields, with long lists. */
function job(r, depth = 0) {
  const value = () => {
    const kind = r.next()
    if (depth < 4 && kind < 0.25) return job(r, depth + 1)
    if (kind < 0.3) return new Array(Math.floor(sizeOf(r) / 8)).fill(r.of(VALUES))
    return r.of(VALUES)
  }
  const made = depth === 0 ? { shader: 'a.dxbc', dispatch: [1, 1, 1], resources: [] } : {}
  for (let i = r.pick(6); i >= 0; i--) made[r.of(NAMES)] = value()
  return made
}

/** The input of a seed: `{ bytes }`, `{ text }` or `{ job }`, and whether shaders are made of it and run. */
export function inputOf(seed, { heddle, dxbc }, files) {
  const r = random(seed)
  r.size = drawSize(r)
  return { ...madeOf(r, { heddle, dxbc }, files), size: r.size }
}

/** Shares of the kinds of inputs: damaged files and texts have their own sizes, so large inputs are of other kinds. */
const KINDS = [
  {
    share: 0.4,
    large: 0,
    make: (r, _lib, files) => ({ bytes: mutateBytes(r.of(files.binaries), r), runs: r.next() < 0.3 }),
  },
  { share: 0.1, large: 0.1, make: (r, _lib, files) => ({ text: mutateText(r.of(files.listings), r) }) },
  { share: 0.05, large: 0.05, make: (r, lib, files) => ({ text: mutateText(losslessText(r, lib, files), r) }) },
  { share: 0.07, large: 0.3, make: (r, { heddle, dxbc }) => ({ bytes: tokenFlood(heddle, dxbc, r), runs: true }) },
  {
    share: 0.13,
    large: 0.25,
    make: (r, lib, files) => ({ bytes: fileFlood(statementFlood, r, lib, files), runs: true }),
  },
  { share: 0.05, large: 0.1, make: (r, lib, files) => ({ bytes: fileFlood(partFlood, r, lib, files), runs: false }) },
  { share: 0.13, large: 0.1, make: (r) => ({ text: structuredText(r), runs: true }) },
  { share: 0.03, large: 0.05, make: (r) => ({ text: hullText(r), runs: true }) },
  { share: 0.04, large: 0.05, make: (r) => ({ job: job(r) }) },
]

function losslessText(r, { heddle }, files) {
  return heddle.disassembleOutcome(r.of(files.binaries), { dialect: 'lossless' }).value ?? ''
}

/** A file with very many of one of its things; the file itself where it has none. */
function fileFlood(flood, r, { heddle }, files) {
  const file = r.of(files.binaries)
  return flood(heddle, file, r) ?? file
}

function madeOf(r, lib, files) {
  let left = r.next()
  const kind = KINDS.find(({ share, large }) => {
    left -= r.size === 'large' ? large : share
    return left < 0
  })
  return (kind ?? KINDS[0]).make(r, lib, files)
}
