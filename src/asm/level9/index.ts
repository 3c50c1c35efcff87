/**
 * The Direct3D 9 code that a `4_0_level_9_x` shader has beside its own: its mapping tables and its listing, as fxc
 * prints them between the signatures and the profile line.
 *
 * It reads versions 2_0 and 2_x and only prints; debug information inside the code is printed beside it.
 */
import { type DxbcContainer, findChunk } from '../../dxbc/index.ts'
import { LEVEL9_TITLES } from '../text/level9-text.ts'
import { type Level9, readLevel9, type ScalarMapping } from './chunk.ts'
import { disassemble9 } from './disassemble.ts'

export { type Level9, readLevel9 } from './chunk.ts'
export { disassemble9 } from './disassemble.ts'
export { float9 } from './float9.ts'

const CONVERSIONS = ['FLT', 'BOOL', 'INT', 'UINT'] as const
const RUNTIME_CONSTANTS = ['Vertex Shader position offset'] as const

function scalarRow(letter: string, mapping: ScalarMapping): string {
  const source = `${String(mapping.sourceRegister).padStart(10)} ${String(mapping.component).padStart(9)}`
  return `// ${letter}${String(mapping.target).padEnd(9)} cb${String(mapping.buffer).padEnd(5)} ${source}`
}

function constantLines({ constants, integers, bools }: Level9): string[] {
  const scalars = [...integers.map((m) => scalarRow('i', m)), ...bools.map((m) => scalarRow('b', m))]
  if (constants.length === 0 && scalars.length === 0) return []
  const lines = ['// Constant buffer to DX9 shader constant mappings:', '//']
  if (scalars.length > 0) {
    lines.push(
      '// Target Reg Buffer  Source Reg Component',
      '// ---------- ------- ---------- ---------',
      ...scalars,
      '//',
    )
  }
  if (constants.length > 0) {
    lines.push(
      '// Target Reg Buffer  Start Reg # of Regs        Data Conversion',
      '// ---------- ------- --------- --------- ----------------------',
      ...constants.map((m) => {
        const range = `${String(m.startRegister).padStart(9)} ${String(m.registerCount).padStart(9)}`
        const conversions = m.conversions.map((c) => (CONVERSIONS[c] ?? '').padStart(4)).join(',')
        return `// c${String(m.target).padEnd(9)} cb${String(m.buffer).padEnd(5)} ${range}  (${conversions})`
      }),
      '//',
    )
  }
  return [...lines, '//']
}

function samplerLines({ samplers }: Level9): string[] {
  if (samplers.length === 0) return []
  const sorted = [...samplers].sort((a, b) => a.target - b.target)
  return [
    '// Sampler/Resource to DX9 shader sampler mappings:',
    '//',
    '// Target Sampler Source Sampler  Source Resource',
    '// -------------- --------------- ----------------',
    ...sorted.map((m) => {
      const target = String(m.target).padEnd(13)
      return `// s${target} s${String(m.sampler).padEnd(14)} t${String(m.resource).padEnd(16)}`
    }),
    '//',
    '//',
  ]
}

function runtimeLines({ runtime }: Level9): string[] {
  if (runtime.length === 0) return []
  return [
    '// Runtime generated constant mappings:',
    '//',
    '// Target Reg                               Constant Description',
    '// ---------- --------------------------------------------------',
    ...runtime.map((m) => `// c${String(m.target).padEnd(9)} ${(RUNTIME_CONSTANTS[m.kind] ?? '').padStart(50)}`),
    '//',
    '//',
  ]
}

/** The chunks with Direct3D 9 code, in the order of the listing, with the titles of their code. */
const SECTIONS = [
  { fourcc: 'Aon9', title: LEVEL9_TITLES.level9 },
  { fourcc: 'XNAP', title: LEVEL9_TITLES.prepass },
  { fourcc: 'XNAS', title: LEVEL9_TITLES.xna },
] as const

function sectionLines(level9: Level9, title: string): string[] {
  return [
    '//',
    ...constantLines(level9),
    ...samplerLines(level9),
    ...runtimeLines(level9),
    `// ${title}:`,
    '//',
    ...disassemble9(level9.tokens),
  ]
}

/** The level 9 sections of a listing, with the `//` in front; nothing for a container without a readable part. */
export function level9Lines(container: DxbcContainer): string[] {
  return SECTIONS.flatMap(({ fourcc, title }) => {
    const chunk = findChunk(container, fourcc)
    const level9 = chunk === undefined ? undefined : readLevel9(chunk.data)
    return level9 === undefined ? [] : sectionLines(level9, title)
  })
}
