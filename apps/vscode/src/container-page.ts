/** The page of a compiled shader: what it binds, its signatures and statistics, and what the validator finds. */
import { placedMessage } from '../../../src/diagnostic/index.ts'
import {
  bytecodeHash,
  decodeStatistics,
  findChunk,
  type ReflectedElement,
  type ReflectedResource,
  type ReflectionMember,
  readDxbc,
  reflect,
} from '../../../src/dxbc/index.ts'
import { profileName, stageOfNumber } from '../../../src/isa/index.ts'
import { threadGroupOf } from '../../../src/program/index.ts'
import { shaderIn } from '../../../src/shader/index.ts'
import { validate } from '../../../src/validate/index.ts'
import { whyNotRead } from './containers.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Names in a shader come from outside: nothing of them is taken for a tag. */
const plain = (text: string): string => text.replace(/[&<>"]/g, (c) => ENTITIES[c]!)

type Row = readonly string[]

const cell = (text: string, tag: string): string => `<${tag}>${plain(text)}</${tag.split(' ', 1)[0]}>`

const section = (title: string, rows: string): string =>
  rows === ''
    ? ''
    : `<details open id="${plain(title)}"><summary>${plain(title)}</summary><table>${rows}</table></details>`

function table(title: string, heads: Row, rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const head = heads.map((h) => cell(h, 'th scope="col"')).join('')
  const body = rows.map((r) => `<tr>${r.map((c) => cell(c, 'td')).join('')}</tr>`).join('')
  return section(title, `<thead><tr>${head}</tr></thead><tbody>${body}</tbody>`)
}

/** Names with what they are. */
const list = (title: string, rows: readonly Row[]): string =>
  section(
    title,
    rows.map(([name = '', value = '']) => `<tr>${cell(name, 'th scope="row"')}${cell(value, 'td')}</tr>`).join(''),
  )

function slotText({ register, slot, count, space }: ReflectedResource): string {
  const last = count === undefined ? ' and on' : count === 1 ? '' : ` to ${register}${slot + count - 1}`
  return `${register}${slot}${last}${space === 0 ? '' : `, space ${space}`}`
}

const bindingRow = (r: ReflectedResource): Row => [
  slotText(r),
  r.name,
  r.type,
  r.dimension,
  r.format,
  r.stride === undefined ? '' : String(r.stride),
]

const elementRow = (e: ReflectedElement): Row => [
  `${e.name}${e.semanticIndex === 0 ? '' : e.semanticIndex}`,
  e.register === undefined ? '' : String(e.register),
  e.mask,
  e.componentType,
]

/** A variable with its members below it, at their offsets from the start of the buffer. */
function memberRows(m: ReflectionMember, base: number, depth: number): Row[] {
  const offset = base + m.byteOffset
  const name = `${'\u00a0\u00a0'.repeat(depth)}${m.name}${m.elements === undefined ? '' : `[${m.elements}]`}`
  return [[String(offset), m.type, name], ...(m.members ?? []).flatMap((child) => memberRows(child, offset, depth + 1))]
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')

/** The tables of a shader. */
function bodyOf(bytes: Uint8Array): string {
  const why = whyNotRead(bytes)
  if (why !== undefined) return `<p class="why">${plain(why)}</p>`
  const { value: container, diagnostics } = readDxbc(bytes)
  if (container === undefined)
    return `<p class="why">This file is damaged.</p>${table(
      'Findings',
      ['severity', 'code', 'message'],
      diagnostics.map((d) => [d.severity, d.code, d.message]),
    )}`
  const r = reflect(container).value
  const program = shaderIn(container).value?.program
  const stage = program === undefined ? undefined : stageOfNumber(program.stageNumber)
  const threads = program === undefined ? undefined : threadGroupOf(program)
  const stat = findChunk(container, 'STAT')
  const counts = stat === undefined ? undefined : decodeStatistics(stat.data).value?.counts
  const facts: Row[] = [
    ...(stage === undefined || program === undefined
      ? []
      : [['profile', profileName(stage, program.major, program.minor)]]),
    ...(threads === undefined ? [] : [['thread group', threads.join(' x ')]]),
    ...(r.creator === undefined ? [] : [['made by', r.creator]]),
    ['size', `${bytes.length} bytes`],
    ['checksum', hex(bytes.subarray(4, 20))],
    ['hash of the code', bytecodeHash(container) ?? ''],
  ]
  const found = validate(bytes).map((d) => [d.severity, d.code, placedMessage(d)])
  const used = Object.entries(counts ?? {}).filter(([, n]) => n !== 0)
  return [
    '<p><button id="listing">Open listing</button></p>',
    list('Shader', facts),
    found.length === 0
      ? '<p id="clean">The validator finds nothing.</p>'
      : table('Findings', ['severity', 'code', 'message'], found),
    table('Bindings', ['slot', 'name', 'type', 'dimension', 'format', 'stride'], r.resources.map(bindingRow)),
    ...r.buffers.map((b) =>
      table(
        `${b.kind} ${b.name}`,
        ['offset', 'type', 'name'],
        b.variables.flatMap((v) => memberRows(v, 0, 0)),
      ),
    ),
    table('Inputs', ['semantic', 'register', 'mask', 'type'], r.inputs.map(elementRow)),
    table('Outputs', ['semantic', 'register', 'mask', 'type'], r.outputs.map(elementRow)),
    table('Patch constants', ['semantic', 'register', 'mask', 'type'], r.patchConstants.map(elementRow)),
    list(
      'Statistics',
      used.map(([name, n]) => [name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`), String(n)]),
    ),
    table(
      'Parts',
      ['name', 'bytes'],
      container.chunks.map((c) => [c.fourcc, String(c.data.length)]),
    ),
  ].join('\n')
}

const STYLE = `
body { color: var(--vscode-foreground); background: var(--vscode-editor-background); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); padding: 0 1em 1em; }
table { border-collapse: collapse; font-family: var(--vscode-editor-font-family); margin: 0.3em 0 1em; }
th, td { text-align: left; padding: 0.15em 1.2em 0.15em 0; border-bottom: 1px solid var(--vscode-editorWidget-border, transparent); vertical-align: top; }
h1 { font-size: 1.2em; }
tbody th { font-weight: normal; }
summary { cursor: pointer; font-weight: bold; }
summary:focus-visible, button:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
button { color: var(--vscode-button-foreground); background: var(--vscode-button-background); border: none; padding: 0.4em 1em; cursor: pointer; }
button:hover { background: var(--vscode-button-hoverBackground); }
.why { max-width: 45em; }
`

/** Which tables are closed, and how far the page is scrolled, stay as they are while the page is hidden. */
const SCRIPT = `
const api = acquireVsCodeApi()
const state = api.getState() ?? { closed: [], top: 0 }
for (const d of document.querySelectorAll('details')) {
  if (state.closed.includes(d.id)) d.open = false
  d.addEventListener('toggle', () => {
    state.closed = [...document.querySelectorAll('details')].filter((e) => !e.open).map((e) => e.id)
    api.setState(state)
  })
}
window.scrollTo(0, state.top)
window.addEventListener('scroll', () => { state.top = window.scrollY; api.setState(state) })
document.getElementById('listing')?.addEventListener('click', () => api.postMessage({ command: 'openListing' }))
`

/** The whole page; without bytes that the file is gone. Nothing of it runs but the script with the nonce, and nothing is loaded. */
export function containerPage(bytes: Uint8Array | undefined, nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Compiled shader</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>Compiled shader</h1>
${bytes === undefined ? '<p class="why">This file cannot be read; it may have been deleted.</p>' : bodyOf(bytes)}
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`
}
