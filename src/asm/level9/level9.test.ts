import { describe, expect, it } from 'vitest'
import { makeDxbc } from '../../dxbc/index.ts'
import { disassemble9, float9, level9Lines } from './index.ts'

const bits = (value: number) => new Uint32Array(Float32Array.of(value).buffer)[0]!

describe('floats of def', () => {
  // Texts of these values stand in public listings of the compiler.
  it.each([
    [0.1, '0.100000001'],
    [1.01, '1.00999999'],
    [0.01, '0.00999999978'],
    [1e-4, '9.99999975e-005'],
    [-0.0208333, '-0.0208333004'],
    [0.5, '0.5'],
    [-2, '-2'],
    [1024, '1024'],
    [123456790, '123456792'],
    [1e10, '1e+010'],
    [-0, '-0'],
  ])('%d prints as %s', (value, text) => {
    expect(float9(bits(value))).toBe(text)
  })

  it('name the values that are no numbers', () => {
    expect([0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000].map(float9)).toEqual([
      '1.#INF',
      '-1.#INF',
      '1.#QNAN',
      '-1.#IND',
    ])
  })
})

const VS20 = 0xfffe0200
const VS2X = 0xfffe0201
const PS2X = 0xffff0201
const END = 0x0000ffff

/** Parameter tokens. */
const dst = (type: number, number: number, mask = 15, modifier = 0) =>
  (0x80000000 | ((type & 7) << 28) | ((type & 0x18) << 8) | number | (mask << 16) | (modifier << 20)) >>> 0
const src = (type: number, number: number, swizzle = 0xe4, modifier = 0) =>
  (0x80000000 | ((type & 7) << 28) | ((type & 0x18) << 8) | number | (swizzle << 16) | (modifier << 24)) >>> 0
const op = (opcode: number, ...parameters: number[]) => [opcode | (parameters.length << 24), ...parameters]
const listing = (version: number, ...instructions: number[][]) => disassemble9([version, ...instructions.flat(), END])

describe('instructions', () => {
  it('print modifiers, masks and swizzles', () => {
    const mad = op(4, dst(0, 1, 7, 1), src(1, 0, 0x00), src(2, 5, 0x1b, 1), src(0, 2))
    const nrm = op(36, dst(0, 3, 15, 2), src(3, 1))
    expect(listing(PS2X, mad, nrm).slice(1, 3)).toEqual(['    mad_sat r1.xyz, v0.x, -c5.wzyx, r2', '    nrm_pp r3, t1'])
  })

  it('print relative addresses from the token after the operand', () => {
    const mova = op(46, dst(3, 0, 1), src(0, 0, 0x00))
    const mov = op(1, dst(4, 0), src(2, 24, 0xff, 1) | 0x2000, src(3, 0, 0x00))
    expect(listing(VS20, mova, mov).slice(1, 3)).toEqual(['    mova a0.x, r0.x', '    mov oPos, -c24[a0.x].w'])
  })

  it('print definitions and declarations', () => {
    const def = op(81, dst(2, 3), bits(1), bits(-0.5), 0, bits(3))
    const defi = op(48, dst(7, 0), 8, 0xffffffff, 0, 0)
    const defb = op(47, dst(14, 2), 1)
    const position = op(31, 0x80000000, dst(1, 0))
    const texcoord = op(31, 0x80030005, dst(1, 1, 3))
    expect(listing(VS20, def, defi, defb, position, texcoord).slice(1, 6)).toEqual([
      '    def c3, 1, -0.5, 0, 3',
      '    defi i0, 8, -1, 0, 0',
      '    defb b2, true',
      '    dcl_position v0',
      '    dcl_texcoord3 v1.xy',
    ])
    const cube = op(31, 0x98000000, dst(10, 2))
    const volume = op(31, 0xa0000000, dst(10, 3))
    const input = op(31, 0x80000005, dst(3, 4, 3, 4))
    expect(listing(PS2X, cube, volume, input).slice(1, 4)).toEqual([
      '    dcl_cube s2',
      '    dcl_volume s3',
      '    dcl_centroid t4.xy',
    ])
  })

  it('distinguish the kinds of sampling and count them', () => {
    const sample = (control: number) => op(66 | (control << 16), dst(0, 0), src(3, 0), src(10, 0))
    const lines = listing(PS2X, sample(0), sample(1), sample(2), op(65, dst(0, 0)), op(1, dst(8, 0), src(0, 0)))
    expect(lines.slice(1)).toEqual([
      '    texld r0, t0, s0',
      '    texldp r0, t0, s0',
      '    texldb r0, t0, s0',
      '    texkill r0',
      '    mov oC0, r0',
      '',
      '// approximately 5 instruction slots used (3 texture, 2 arithmetic)',
    ])
  })

  it('indent blocks by two blanks and count flow control', () => {
    const body = op(2, dst(0, 0), src(0, 0), src(2, 0))
    const lines = listing(
      PS2X,
      op(41 | (4 << 16), src(0, 0, 0x55), src(2, 1, 0x00)),
      body,
      op(42),
      op(38, src(7, 0)),
      op(45 | (3 << 16), src(0, 0, 0), src(2, 0, 0)),
      op(39),
      op(43),
    )
    expect(lines.slice(1)).toEqual([
      '    if_lt r0.y, c1.x',
      '      add r0, r0, c0',
      '    else',
      '      rep i0',
      '        break_ge r0.x, c0.x',
      '      endrep',
      '    endif',
      '',
      '// approximately 14 instruction slots used',
    ])
  })

  it('count static flow of version 2_0 as one slot each', () => {
    const lines = listing(VS20, op(38, src(7, 0)), op(36, dst(0, 0), src(1, 0)), op(39))
    expect(lines.at(-1)).toBe('// approximately 5 instruction slots used')
  })

  it('put a predicate in front', () => {
    const setp = op(94 | (1 << 16), dst(19, 0, 1), src(0, 0, 0), src(2, 0, 0))
    const mov = [1 | (3 << 24) | (1 << 28), dst(0, 1), src(19, 0, 0x00, 13), src(2, 1)]
    expect(listing(VS2X, setp, mov).slice(1, 3)).toEqual(['    setp_gt p0.x, r0.x, c0.x', '    (!p0.x) mov r1, c1'])
  })

  it('pass over comments and stop where the tokens end', () => {
    const comment = [0xfffe | (2 << 16), 0x1234, 0x5678]
    expect(disassemble9([VS20, ...comment, ...op(0)])).toEqual([
      '    vs_2_0',
      '    nop',
      '',
      '// approximately 1 instruction slot used',
    ])
  })
})

describe('a debug comment', () => {
  const DBUG = 0x47554244
  const mov = op(1, dst(8, 0), src(0, 0))
  const comment = (...body: number[]) => [0xfffe | ((body.length + 1) << 16), DBUG, ...body]

  it('whose tables and names reach outside adds nothing', () => {
    const lines = listing(PS2X, comment(...new Array(10).fill(0xfffffff0)), mov)
    expect(lines).toEqual(listing(PS2X, mov))
  })

  it('whose rows lie over each other ends in bounded time', () => {
    // Every offset is 0 and every count large: each row reads the header.
    const body = [40, 0, 0, 60_000, 0, 60_000, 0, 60_000, 0, 0, ...new Array(8000).fill(0)]
    expect(listing(PS2X, comment(...body), mov).length).toBeLessThan(10)
  })
})

describe('an Aon9 part', () => {
  const words = (...values: number[]) => new Uint8Array(Uint16Array.from(values).buffer)
  /** Header, then the tables in their order, then the code: a profile and an end token. */
  const part = (...tables: Uint8Array[]) => {
    const header = new Uint8Array(36)
    const view = new DataView(header.buffer)
    const sizes = [12, 8, 8, 4, 4]
    let end = 36
    tables.forEach((table, i) => {
      view.setUint16(16 + i * 4, table.length / sizes[i]!, true)
      view.setUint16(18 + i * 4, end, true)
      end += table.length
    })
    view.setUint32(8, 8, true)
    view.setUint32(12, end, true)
    return Uint8Array.from([
      ...header,
      ...tables.flatMap((t) => [...t]),
      ...new Uint8Array(Uint32Array.of(VS2X, END).buffer),
    ])
  }
  const linesOf = (data: Uint8Array) => level9Lines(makeDxbc([{ fourcc: 'Aon9', data }]))

  it('prints each table', () => {
    const constants = words(1, 22, 1, 1, 0x0002, 0x0103)
    const samplers = Uint8Array.of(3, 2, 1, 0, 0, 0, 0, 0)
    const lines = linesOf(part(constants, words(0, 4, 2, 1), words(), samplers, words(0, 7)))
    expect(lines).toEqual([
      '//',
      '// Constant buffer to DX9 shader constant mappings:',
      '//',
      '// Target Reg Buffer  Source Reg Component',
      '// ---------- ------- ---------- ---------',
      '// i1         cb0              4         2',
      '//',
      '// Target Reg Buffer  Start Reg # of Regs        Data Conversion',
      '// ---------- ------- --------- --------- ----------------------',
      '// c1         cb1            22         1  ( INT, FLT,UINT,BOOL)',
      '//',
      '//',
      '// Sampler/Resource to DX9 shader sampler mappings:',
      '//',
      '// Target Sampler Source Sampler  Source Resource',
      '// -------------- --------------- ----------------',
      '// s0             s0              t0               ',
      '// s1             s2              t3               ',
      '//',
      '//',
      '// Runtime generated constant mappings:',
      '//',
      '// Target Reg                               Constant Description',
      '// ---------- --------------------------------------------------',
      '// c7                              Vertex Shader position offset',
      '//',
      '//',
      '// Level9 shader bytecode:',
      '//',
      '    vs_2_x',
      '',
      '// approximately 0 instruction slots used',
    ])
  })

  it('is left out when a table or the code lies outside', () => {
    const whole = part(words(1, 22, 1, 1, 0, 0))
    expect(linesOf(whole).length).toBeGreaterThan(0)
    const cut = whole.slice(0, 40)
    expect(linesOf(cut)).toEqual([])
    expect(linesOf(whole.slice(0, 20))).toEqual([])
  })
})
