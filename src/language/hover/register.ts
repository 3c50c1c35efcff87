import { type RegisterFile, type RegisterFileName, rowOfOpcode } from '../../isa/index.ts'
import type { ShaderDocument } from '../document.ts'
import { lineAt, statementText } from '../document.ts'
import { nameOfBinding, nameOfConstant, semanticText, signatureElements } from '../names/names.ts'
import { liveAfter } from '../program/liveness.ts'
import { readsOf, writesSeenBy } from '../program/reaching.ts'
import { componentsRead, componentsWritten, maskLetters } from '../program/reads.ts'
import { phaseNumbers, type RegisterUse, usesByKey } from '../program/uses.ts'

const FILE_WORDS: Readonly<Partial<Record<RegisterFileName, string>>> = {
  temp: 'temporary register',
  input: 'input register',
  output: 'output register',
  'indexable-temp': 'indexable temporary registers',
  sampler: 'sampler',
  resource: 'shader resource view',
  'constant-buffer': 'constant buffer',
  'immediate-constant-buffer': 'immediate constant buffer',
  uav: 'unordered access view',
  tgsm: 'thread group shared memory',
  label: 'subroutine',
  'thread-id': 'number of the thread in the dispatch (SV_DispatchThreadID)',
  'thread-group-id': 'number of the thread group (SV_GroupID)',
  'thread-id-in-group': 'number of the thread in its group (SV_GroupThreadID)',
  'thread-id-in-group-flattened': 'index of the thread in its group (SV_GroupIndex)',
}

/** What a register file is, in words. */
export const fileWords = (file: RegisterFile): string => FILE_WORDS[file.name] ?? file.name.replaceAll('-', ' ')

/** The declarations of a register: of temporary ones that of their phase. */
export function declarationsOfUse(d: ShaderDocument, use: RegisterUse): readonly number[] {
  if (use.written.file.name !== 'temp') {
    const declared = (usesByKey(d).get(use.key) ?? []).filter((u) => u.access === 'declared')
    return [...new Set(declared.map((u) => u.statement))]
  }
  const phases = phaseNumbers(d)
  const at = d.statements.findIndex((s, i) => {
    const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
    return traits?.kind === 'declaration' && traits.declares === 'temps' && phases[i] === phases[use.statement]
  })
  return at < 0 ? [] : [at]
}

/** Numbers of the register and, of a constant, of its element, where they are plain numbers. */
function numbersOf(use: RegisterUse): readonly (number | undefined)[] {
  const indices = use.value?.indices ?? []
  if (indices.length === 0) return use.written.number === undefined ? [] : [use.written.number]
  return indices.map((i) => (i.kind === 'immediate' ? i.value : undefined))
}

/** The name of what a use names, from reflection and signatures: `Params.tint.xy`, `TEXCOORD1`, `scene`. */
export function nameOfUse(d: ShaderDocument, use: RegisterUse): string | undefined {
  const { file } = use.written
  const numbers = numbersOf(use)
  const mask = componentsRead(d, use) | componentsWritten(use) || 15
  if (file.class === 'binding' || file.class === 'constant') {
    const name = numbers[0] === undefined ? undefined : nameOfBinding(d, file, numbers[0])
    const element = numbers.length > 1 ? numbers.at(-1) : undefined
    if (name === undefined || file.name !== 'constant-buffer' || element === undefined || use.access === 'declared')
      return name
    return constantNames(d, name, element, mask) ?? name
  }
  const register = numbers.at(-1)
  if (register === undefined) return undefined
  const elements = signatureElements(d, file.name, register, mask)
  return elements.length === 0 ? undefined : elements.map(semanticText).join(', ')
}

/** Names of the components of a constant, those of one vector together. */
function constantNames(d: ShaderDocument, buffer: string, element: number, mask: number): string | undefined {
  const names: string[] = []
  for (let c = 0; c < 4; c++) {
    const found = (mask >> c) & 1 ? nameOfConstant(d, buffer, element, c) : undefined
    if (found === undefined) continue
    const vector = /^(.*\.)([xyzw])$/.exec(found.path)
    const last = names.at(-1)
    if (vector !== null && last !== undefined && /\.[xyzw]+$/.test(last) && last.startsWith(vector[1]!)) {
      names[names.length - 1] = last + vector[2]
    } else names.push(found.path)
  }
  return names.length === 0 ? undefined : [...new Set(names)].join(', ')
}

const lineText = (d: ShaderDocument, statement: number): string =>
  `line ${lineAt(d, d.places.statements[statement]!.start) + 1}: \`${statementText(d, statement)}\``

/** Writes and reads beyond this are counted alone. */
const MOST_LISTED = 5

function listed(d: ShaderDocument, uses: readonly RegisterUse[]): readonly string[] {
  const statements = [...new Set(uses.map((u) => u.statement))]
  const lines = statements.slice(0, MOST_LISTED).map((s) => `- ${lineText(d, s)}`)
  return statements.length > MOST_LISTED ? [...lines, `- and ${statements.length - MOST_LISTED} more`] : lines
}

function readText(d: ShaderDocument, use: RegisterUse, read: number): readonly string[] {
  const { writes, mayBeUnwritten } = writesSeenBy(d, use)
  const nothing = writes.length === 0 ? '- nothing: the value is undefined' : '- or nothing, on some way'
  const lines = ['', `Reads ${maskLetters(read)}, written by`, ...listed(d, writes)]
  return mayBeUnwritten ? [...lines, nothing] : lines
}

function writtenText(d: ShaderDocument, use: RegisterUse): readonly string[] {
  const reads = readsOf(d, use)
  return ['', reads.length === 0 ? 'What is written here is not read.' : 'Read by', ...listed(d, reads)]
}

/** Files whose values the program itself makes. */
const FLOWING: ReadonlySet<RegisterFileName> = new Set(['temp', 'indexable-temp', 'this-pointer'])

/** What flows in and out of a use of a register that the program writes. */
function flowText(d: ShaderDocument, use: RegisterUse): readonly string[] {
  const { name } = use.written.file
  if (!FLOWING.has(name)) return []
  const [read, written] = [componentsRead(d, use), componentsWritten(use)]
  const live = name === 'temp' ? liveAfter(d, use.statement, use.key) : undefined
  return [
    ...(read === 0 ? [] : readText(d, use, read)),
    ...(written === 0 ? [] : writtenText(d, use)),
    ...(live === undefined ? [] : ['', `Live behind this statement: ${live === 0 ? 'nothing' : maskLetters(live)}.`]),
  ]
}

/** What a register is, in Markdown. */
export function registerText(d: ShaderDocument, use: RegisterUse): string {
  const { start, end } = use.written.whole
  const name = nameOfUse(d, use)
  const uses = usesByKey(d).get(use.key) ?? []
  const count = (access: (u: RegisterUse) => boolean): number => uses.filter(access).length
  const writes = count((u) => u.access === 'write' || u.access === 'both')
  const reads = count((u) => u.access === 'read' || u.access === 'both')
  const declarations = declarationsOfUse(d, use)
  return [
    `**\`${d.text.slice(start, Math.min(end, start + 80))}\`** ${fileWords(use.written.file)}${name === undefined ? '' : `: **${name}**`}`,
    ...declarations.slice(0, MOST_LISTED).map((s) => `\nDeclared in ${lineText(d, s)}`),
    ...flowText(d, use),
    '',
    `${writes} ${writes === 1 ? 'write' : 'writes'}, ${reads} ${reads === 1 ? 'read' : 'reads'} in the program.`,
  ].join('\n')
}
