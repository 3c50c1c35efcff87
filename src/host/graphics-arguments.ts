/** Shapes of what callers without types give to draws and their commands; values are checked where they are used. */
import {
  aBoolean,
  aNumber,
  anObject,
  anything,
  appendAll,
  checkArguments,
  type Diagnostic,
  diagnostic,
  type Expectation,
  isRecord,
  ShaderError,
  showValue,
} from '../diagnostic/index.ts'

type Fields = Readonly<Record<string, Expectation>>

const isMissing = (v: unknown): boolean => v === undefined || v === null

const resource =
  (kind: 'buffer' | 'texture'): Expectation =>
  (v) =>
    isRecord(v) && v.kind === kind && isRecord(v.storage)
      ? undefined
      : `a ${kind} of create${kind === 'buffer' ? 'Buffer' : 'Texture'}`

const aBuffer = resource('buffer')
const aTexture = resource('texture')
const aResource: Expectation = (v) =>
  aBuffer(v) === undefined || aTexture(v) === undefined ? undefined : 'a buffer or texture of the device'

/** Whether making a view gave this: a view of the kind, or why there is none. */
function isOutcomeOf(v: Readonly<Record<string, unknown>>, kind: string): boolean {
  return Array.isArray(v.diagnostics) && (v.ok !== true || (isRecord(v.value) && v.value.kind === kind))
}

/** A view, or the outcome of making one. */
const view =
  (kind: 'rtv' | 'dsv' | 'srv' | 'uav'): Expectation =>
  (v) =>
    isRecord(v) && (v.kind === kind || isOutcomeOf(v, kind)) ? undefined : `a view that ${kind}() made`

/** A list; what is missing in it is an empty slot. */
const listOf =
  (what: string, entry: Expectation): Expectation =>
  (v) => {
    if (!Array.isArray(v)) return `a list of ${what}`
    const wrong = v.findIndex((e) => !isMissing(e) && entry(e) !== undefined)
    return wrong < 0 ? undefined : `a list of ${what}; entry ${wrong} is none (${entry(v[wrong])} is expected)`
  }

/** An object whose members are as expected; those that must be there are named first. */
const objectWith =
  (fields: Fields, required: readonly string[] = []): Expectation =>
  (v) => {
    if (!isRecord(v)) return `an object with ${Object.keys(fields).join(', ')}`
    const name = Object.keys(fields).find(
      (f) => (required.includes(f) || v[f] !== undefined) && fields[f]!(v[f]) !== undefined,
    )
    return name === undefined ? undefined : `an object with ${name}: ${fields[name]!(v[name])}`
  }

const DRAW_RESOURCES: Fields = {
  ...{ vertex: anObject, hull: anObject, domain: anObject, geometry: anObject, pixel: anObject },
  unorderedAccess: anObject,
  vertexBuffers: listOf('{ buffer, stride, offset }', objectWith({ buffer: aBuffer }, ['buffer'])),
  indexBuffer: objectWith({ buffer: aBuffer }, ['buffer']),
  streamOutputBuffers: listOf('{ buffer, offset }', objectWith({ buffer: aBuffer }, ['buffer'])),
  renderTargets: listOf('render target views', view('rtv')),
  depthStencil: view('dsv'),
  viewports: listOf('viewports', (v) =>
    isRecord(v) ? undefined : '{ topLeftX, topLeftY, width, height, minDepth, maxDepth }',
  ),
  scissors: (v) =>
    Array.isArray(v) && v.every(isRecord) ? undefined : 'a list of rectangles { left, top, right, bottom }',
  blendFactor: (v) =>
    Array.isArray(v) && v.length === 4 && v.every((n) => typeof n === 'number') ? undefined : 'four numbers',
  stencilReference: aNumber,
}

const COUNTS = {
  vertices: { vertexCount: anything, instanceCount: anything, startVertex: anything, startInstance: anything },
  indices: {
    ...{ indexCount: anything, instanceCount: anything, startIndex: anything },
    ...{ baseVertex: anything, startInstance: anything },
  },
  indirect: { indirect: aBuffer, byteOffset: aNumber, indexed: aBoolean },
} as const

const REQUIRED = { vertices: [], indices: [], indirect: ['indirect'] } as const

function checkCounts(call: unknown): Diagnostic[] {
  if (call === 'auto') return []
  const kind = !isRecord(call)
    ? undefined
    : 'indirect' in call
      ? 'indirect'
      : 'indexCount' in call
        ? 'indices'
        : 'vertexCount' in call
          ? 'vertices'
          : undefined
  if (kind !== undefined) return checkArguments('pipeline-draw', 'a draw', call, COUNTS[kind], REQUIRED[kind])
  const text = `a draw takes { vertexCount, ... }, { indexCount, ... }, { indirect, byteOffset, indexed } or 'auto'; ${showValue(call)} was given`
  return [diagnostic('pipeline-draw', text)]
}

const refuseAll = (found: readonly Diagnostic[]): void => {
  if (found.length > 0) throw new ShaderError(found)
}

/** Throws where what a draw is given has not the shape that it takes. */
export function requireDraw(pipeline: unknown, resources: unknown, call: unknown, options: unknown): void {
  const found: Diagnostic[] = []
  if (!isRecord(pipeline) || !isRecord(pipeline.linkage) || !isRecord(pipeline.inputLayout)) {
    const text = `a draw takes a pipeline that createPipeline made; ${showValue(pipeline)} was given`
    found.push(diagnostic('pipeline-draw', text))
  }
  // What is bound may be null where it is missing.
  const hasNull = isRecord(resources) && Object.values(resources).includes(null)
  const given = hasNull ? Object.fromEntries(Object.entries(resources).filter(([, v]) => v !== null)) : resources
  appendAll(found, checkArguments('pipeline-draw', 'a draw', given, DRAW_RESOURCES))
  appendAll(found, checkCounts(call))
  if (!isRecord(options)) {
    found.push(diagnostic('pipeline-draw', `a draw takes an object of options; ${showValue(options)} was given`))
  }
  refuseAll(found)
}

const aShader: Expectation = (v) =>
  isRecord(v) && isRecord(v.loaded) && 'program' in v ? undefined : 'a shader that createShader made'
const aStreamOutput: Expectation = objectWith({
  declaration: listOf('entries', anObject),
  strides: listOf('numbers', aNumber),
})

/** Throws where what a pipeline is made of has not the shape that it takes. */
export function requirePipeline(options: unknown): void {
  if (!isRecord(options)) {
    refuseAll([
      diagnostic('pipeline-state', `a pipeline takes an object of shaders and state; ${showValue(options)} was given`),
    ])
    return
  }
  const found: Diagnostic[] = []
  const check = (name: string, expected: Expectation, required = false): void => {
    const value = options[name]
    if (value === undefined && !required) return
    const wanted = expected(value)
    if (wanted === undefined) return
    const text = `a pipeline: ${name} is ${showValue(value)}; it must be ${wanted}`
    found.push(diagnostic('pipeline-state', text, { kind: 'path', path: name }))
  }
  check('vertex', aShader, true)
  for (const stage of ['hull', 'domain', 'geometry', 'pixel']) check(stage, aShader)
  check('topology', (v) => (typeof v === 'string' ? undefined : 'the name of a topology'), true)
  check('inputLayout', listOf('elements', anObject))
  check('streamOutput', aStreamOutput)
  refuseAll(found)
}

/** Throws where a command is given something else than the views and resources that it takes. */
export function requireGiven(command: string, given: Readonly<Record<string, readonly [unknown, GivenKind]>>): void {
  const found = Object.entries(given).flatMap(([name, [value, kind]]) => {
    const wanted = KINDS[kind](value)
    if (wanted === undefined) return []
    const text = `${command}: ${name} is ${showValue(value)}; it must be ${wanted}`
    return [diagnostic('pipeline-view', text, { kind: 'path', path: name })]
  })
  refuseAll(found)
}

const KINDS = {
  rtv: view('rtv'),
  dsv: view('dsv'),
  srv: view('srv'),
  uav: view('uav'),
  buffer: aBuffer,
  texture: aTexture,
  resource: aResource,
  object: anObject,
} as const
type GivenKind = keyof typeof KINDS
