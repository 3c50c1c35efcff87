/** The instruction table as a page and as JSON; scripts that write them use it, and the test that holds them up to date. */
import { INSTRUCTIONS, type InstructionRow, REGISTER_FILES, STAGES, type Traits } from '../src/isa/index.ts'
import { availability, stagesText, syntaxOf } from '../src/language/index.ts'

const KIND_TITLES: Readonly<Record<Traits['kind'], string>> = {
  alu: 'Arithmetic, logic, moves and conversions',
  nop: 'No operation',
  flow: 'Flow control',
  load: 'Loads',
  store: 'Stores',
  atomic: 'Atomics',
  counter: 'UAV counters',
  sample: 'Sampling',
  gather: 'Gathering',
  query: 'Queries',
  sync: 'Synchronisation',
  derivative: 'Derivatives',
  eval: 'Attribute evaluation',
  stream: 'Geometry output',
  phase: 'Hull shader phases',
  debug: 'Debug layer',
  'custom-data': 'Custom data',
  declaration: 'Declarations',
}

/** What only Heddle's own machinery needs of a row; the rest is what `isa.json` publishes. */
function published(row: InstructionRow): object {
  const { semantics: _, ...traits } = row.traits as Traits & { semantics?: unknown }
  return { ...row, traits }
}

/** The instruction set as one JSON value: instructions, register files, stages. Functions are left out. */
export function isaAsJson(): object {
  return { stages: STAGES, registerFiles: REGISTER_FILES, instructions: INSTRUCTIONS.map(published) }
}

function referenceLine(row: InstructionRow): string {
  const syntax = syntaxOf(row).replaceAll('|', '\\|')
  return `| \`${syntax}\` | ${row.opcode} | ${availability(row)} | ${stagesText(row)} | ${row.summary.replaceAll('|', '\\|')} | ${row.spec} |`
}

/** The instruction reference in Markdown, made from the table; `docs/instructions.md` is this text. */
export function renderInstructionReference(): string {
  const lines = [
    '# Instruction reference',
    '',
    'Made from the instruction table by `npm run docs`; do not edit. "Section" is that of the Direct3D 11.3 functional',
    `specification. ${INSTRUCTIONS.length} opcodes.`,
  ]
  for (const [kind, title] of Object.entries(KIND_TITLES)) {
    const rows = INSTRUCTIONS.filter((r) => r.traits.kind === kind)
    lines.push('', `## ${title}`, '', '| form | opcode | shader model | stages | what it does | section |')
    lines.push('| --- | --- | --- | --- | --- | --- |')
    for (const row of rows) lines.push(referenceLine(row))
  }
  return `${lines.join('\n')}\n`
}
