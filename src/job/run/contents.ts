import { type DiagnosticCode, type DiagnosticSink, diagnostic } from '../../diagnostic/index.ts'
import type { Format } from '../../isa/formats/index.ts'
import { type Buffer, type Storage, type Subresource, subresource, type Texture } from '../../machine/index.ts'
import { type Image, isFailure, type JobHost } from '../host.ts'
import type { Contents } from '../model.ts'
import { isObject } from '../parse/fields.ts'
import { writeByName } from '../values/by-name.ts'
import { imageToTexture } from '../values/image.ts'
import { type ScalarType, writeScalar } from '../values/scalars.ts'
import { leavesOf, type Shape } from '../values/shape.ts'
import { componentNames, isReadable, texelPlace, writeTexel } from '../values/texels.ts'

/** Facts of the slot that contents are for, by which they are turned into bytes. */
export interface ContentsContext {
  readonly host: JobHost
  readonly out: DiagnosticSink
  /** One structure of a structured buffer, or the whole constant buffer. */
  readonly shape?: Shape | undefined
  /** Bytes from structure to structure. */
  readonly stride?: number | undefined
  /** False where the shader could not be loaded: that was reported, and what it would describe is not missed. */
  readonly isShaderKnown: boolean
  /** How the slot is called, for messages. */
  readonly name: string
}

type Generator = Extract<Contents, { kind: 'zero' | 'fill-u32' | 'lcg-u32' | 'lcg-f32' | 'ramp-u32' | 'ramp-f32' }>

/** Contents whose files are read and whose names are looked up. */
export type ResolvedContents =
  | { readonly kind: 'generator'; readonly generator: Generator }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly path: string }
  | { readonly kind: 'texels'; readonly texels: readonly (readonly number[])[]; readonly path: string }
  | { readonly kind: 'image'; readonly image: Image; readonly path: string }

function report(
  c: ContentsContext,
  code: DiagnosticCode,
  path: string,
  message: string,
  notes: readonly string[] = [],
): undefined {
  c.out.push(diagnostic(code, message, { kind: 'path', path }, notes))
  return undefined
}

function readFile(c: ContentsContext, contents: Extract<Contents, { kind: 'file' }>): ResolvedContents | undefined {
  const { file, path, byteOffset, byteLength } = contents
  const bytes = c.host.readFile(file, { byteOffset, ...(byteLength === undefined ? {} : { byteLength }) })
  if (isFailure(bytes)) return report(c, 'job-file', path, `cannot read ${file}: ${bytes.reason}`, bytes.notes)
  const isShort = byteLength === undefined ? byteOffset > 0 && bytes.length === 0 : bytes.length < byteLength
  if (isShort) {
    const range = byteLength === undefined ? `from byte ${byteOffset} on` : `${byteLength} from byte ${byteOffset} on`
    return report(c, 'job-size', path, `bytes of ${file} were requested ${range}; ${bytes.length} are there`)
  }
  return { kind: 'bytes', bytes, path }
}

function readImage(c: ContentsContext, contents: Extract<Contents, { kind: 'png' }>): ResolvedContents | undefined {
  const { file, path } = contents
  const bytes = c.host.readFile(file)
  if (isFailure(bytes)) return report(c, 'job-file', path, `cannot read ${file}: ${bytes.reason}`, bytes.notes)
  const image = c.host.decodePng?.(bytes) ?? { reason: 'this host reads no PNG images' }
  if (isFailure(image)) return report(c, 'job-image', path, `${file}: ${image.reason}`, image.notes)
  return { kind: 'image', image, path }
}

function noShape(c: ContentsContext, path: string): undefined {
  if (!c.isShaderKnown) return undefined
  return report(
    c,
    'job-reflection',
    path,
    `the shader has no reflection that describes ${c.name}, so names mean nothing`,
    ['give words, floats or values instead, or a shader that was not stripped'],
  )
}

function structureBytes(c: ContentsContext, items: readonly unknown[], path: string): ResolvedContents | undefined {
  const { shape, stride } = c
  if (shape === undefined || stride === undefined) return noShape(c, path)
  const bytes = new Uint8Array(items.length * stride)
  items.forEach((item, i) => {
    writeByName(shape, item, `${path}[${i}]`, bytes.subarray(i * stride, (i + 1) * stride), c.out)
  })
  return { kind: 'bytes', bytes, path }
}

/** Type of each dword of a shape that is the start of a number. */
function dwordTypes(shape: Shape | undefined): ReadonlyMap<number, ScalarType> {
  const types = new Map<number, ScalarType>()
  for (const leaf of (shape === undefined ? undefined : leavesOf(shape)) ?? []) {
    for (const offset of leaf.shape.offsets) types.set((leaf.byteOffset + offset) / 4, leaf.shape.scalar)
  }
  return types
}

/** `1`, `0x10` and `true` are whole numbers, `1.0`, `1e3` and `NaN` floats, unless the reflection says what they are. */
function guessBytes(c: ContentsContext, texts: readonly string[], path: string): ResolvedContents | undefined {
  const types = dwordTypes(c.shape)
  const bytes = new Uint8Array(texts.length * 8)
  const view = new DataView(bytes.buffer)
  let dword = 0
  for (const text of texts) {
    const number = Number(text)
    const looksWhole = /^[+-]?\d+$/.test(text)
    const value =
      text === 'true' || text === 'false'
        ? text === 'true'
        : /^0x/i.test(text)
          ? text
          : Number.isFinite(number) && text !== ''
            ? number
            : text
    const type = types.get(dword) ?? (looksWhole || typeof value === 'boolean' || /^0x/i.test(text) ? 'u32' : 'f32')
    if (!writeScalar(view, dword * 4, type, value)) {
      return report(c, 'job-out-of-range', path, `"${text}" is no value of type ${type} (at byte ${dword * 4})`)
    }
    dword += type === 'f64' ? 2 : 1
  }
  return { kind: 'bytes', bytes: bytes.subarray(0, dword * 4), path }
}

/** Variables that the shader reads and that are given no value: they are 0, which is seldom meant. */
function warnMissing(c: ContentsContext, shape: Shape, values: unknown, path: string): void {
  if (shape.kind !== 'structure' || !isObject(values)) return
  const missing = shape.fields.filter((f) => f.isUsed === true && !Object.hasOwn(values, f.name)).map((f) => f.name)
  if (missing.length === 0) return
  const message = `${c.name}: the shader reads ${missing.join(', ')}; no value is given, and 0 is taken`
  c.out.push(diagnostic('job-missing-member', message, { kind: 'path', path }))
}

/** Reads files, looks up names. Undefined, after a complaint, where that fails. */
export function resolveContents(c: ContentsContext, contents: Contents): ResolvedContents | undefined {
  switch (contents.kind) {
    case 'bytes':
    case 'texels':
      return contents
    case 'file':
      return readFile(c, contents)
    case 'png':
      return readImage(c, contents)
    case 'structures':
      return structureBytes(c, contents.items, contents.path)
    case 'variables': {
      if (c.shape === undefined) return noShape(c, contents.path)
      const bytes = new Uint8Array(c.shape.byteLength)
      writeByName(c.shape, contents.values, contents.path, bytes, c.out)
      warnMissing(c, c.shape, contents.values, contents.path)
      return { kind: 'bytes', bytes, path: contents.path }
    }
    case 'guess':
      return guessBytes(c, contents.texts, contents.path)
    default:
      return { kind: 'generator', generator: contents }
  }
}

/** Bytes that contents have of themselves in a buffer of a format; undefined for generators and images. */
export function contentsLength(contents: ResolvedContents, format: Format | undefined): number | undefined {
  if (contents.kind === 'bytes') return contents.bytes.length
  return contents.kind === 'texels' && format !== undefined
    ? contents.texels.length * format.blockByteLength
    : undefined
}

/** The generator of the kernels: x * 1664525 + 1013904223 modulo 2^32, of which the new x is used. */
function lcg(x: number): number {
  return (Math.imul(x, 1664525) + 1013904223) >>> 0
}

function fillLcg(words: Uint32Array, g: Extract<Generator, { kind: 'lcg-u32' | 'lcg-f32' }>): void {
  const floats = new Float32Array(words.buffer)
  const f = Math.fround
  let x = g.seed
  for (let i = 0; i < words.length; i++) {
    x = lcg(x)
    if (g.kind === 'lcg-u32') words[i] = x
    else floats[i] = f(f(g.lo) + f(f((x >>> 8) / 16777216) * f(f(g.hi) - f(g.lo))))
  }
}

/** Words of a generator, little-endian, `byteLength` bytes of them. */
export function generate(g: Generator, byteLength: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(byteLength / 4))
  switch (g.kind) {
    case 'zero':
      break
    case 'fill-u32':
      words.fill(g.value)
      break
    case 'lcg-u32':
    case 'lcg-f32':
      fillLcg(words, g)
      break
    case 'ramp-u32':
      for (let i = 0; i < words.length; i++) words[i] = (g.start + Math.imul(i, g.step)) >>> 0
      break
    case 'ramp-f32': {
      const floats = new Float32Array(words.buffer)
      for (let i = 0; i < floats.length; i++) floats[i] = g.start + i * g.step
    }
  }
  return new Uint8Array(words.buffer, 0, byteLength)
}

function tooLong(c: ContentsContext, path: string, given: number, room: number, unit: string): void {
  report(c, 'job-size', path, `${given} ${unit} were given for ${c.name}, which holds ${room}`)
}

function fillBytes(c: ContentsContext, contents: ResolvedContents, target: Uint8Array): void {
  if (contents.kind === 'generator') target.set(generate(contents.generator, target.length))
  else if (contents.kind === 'bytes') {
    if (contents.bytes.length > target.length) tooLong(c, contents.path, contents.bytes.length, target.length, 'bytes')
    else target.set(contents.bytes)
  }
}

function cannotStore(c: ContentsContext, path: string, format: Format | undefined): void {
  const what = format === undefined ? 'a buffer without a format' : `a resource of ${format.name}`
  report(c, 'job-out-of-range', path, `texels cannot be stored to ${what}`)
}

/** Fills a buffer; `format` is that of a typed view. */
export function fillBuffer(
  c: ContentsContext,
  contents: ResolvedContents,
  buffer: Buffer,
  format: Format | undefined,
): void {
  if (contents.kind === 'image')
    report(c, 'job-image', contents.path, `an image fills a texture; ${c.name} is a buffer`)
  else if (contents.kind === 'texels') {
    if (format === undefined) {
      cannotStore(c, contents.path, format)
      return
    }
    const room = Math.floor(buffer.byteLength / format.blockByteLength)
    if (contents.texels.length > room) tooLong(c, contents.path, contents.texels.length, room, 'elements')
    else fillTexels(c, contents, format, buffer.storage, (i) => i * format.blockByteLength)
  } else fillBytes(c, contents, buffer.storage.bytes)
}

type Texels = Extract<ResolvedContents, { kind: 'texels' }>

function fillTexels(
  c: ContentsContext,
  contents: Texels,
  format: Format,
  storage: Storage,
  at: (i: number) => number,
): void {
  const { texels, path } = contents
  const names = componentNames(format)
  for (let i = 0; i < texels.length; i++) {
    if (texels[i]!.length > names.length) {
      report(
        c,
        'job-out-of-range',
        `${path}[${i}]`,
        `${format.name} has ${names.length} components; ${texels[i]!.length} were given`,
      )
      return
    }
    if (!isReadable(format) || !writeTexel(format, storage, at(i), texels[i]!)) {
      cannotStore(c, path, format)
      return
    }
  }
}

/** Fills one mip of one slice. */
export function fillSubresource(
  c: ContentsContext,
  contents: ResolvedContents,
  texture: Texture,
  mip: number,
  slice: number,
  path: string,
): void {
  const part = subresource(texture, mip, slice)
  if (part === undefined) {
    const has = `${texture.mipLevels} mips and ${texture.arraySize} slices`
    report(c, 'job-out-of-range', path, `mip ${mip} of slice ${slice} is given; ${c.name} has ${has}`)
    return
  }
  if (contents.kind === 'image') {
    const problem = imageToTexture(contents.image, texture, mip, slice)
    if (problem !== undefined) report(c, 'job-image', contents.path, problem)
    return
  }
  if (contents.kind !== 'texels') {
    fillBytes(c, contents, texture.storage.bytes.subarray(part.byteOffset, part.byteOffset + part.byteLength))
    return
  }
  const count = part.width * part.height * part.depth
  const isStored = texture.format.layout === 'linear' && texture.sampleCount === 1
  if (contents.texels.length > count) tooLong(c, contents.path, contents.texels.length, count, 'texels')
  else if (isStored) fillTexelRows(c, contents, texture, part)
  else cannotStore(c, contents.path, texture.format)
}

/** Texels row by row, depth slice by depth slice. */
function fillTexelRows(c: ContentsContext, contents: Texels, texture: Texture, part: Subresource): void {
  const perSlice = part.width * part.height
  fillTexels(c, contents, texture.format, texture.storage, (i) => {
    const inSlice = i % perSlice
    return texelPlace(
      texture,
      part,
      inSlice % part.width,
      Math.floor(inSlice / part.width),
      Math.floor(i / perSlice),
    )[0]
  })
}

/** Fills a whole texture with bytes or words; texels and images fill the first mip of the first slice. */
export function fillTexture(c: ContentsContext, contents: ResolvedContents, texture: Texture, path: string): void {
  if (contents.kind === 'texels' || contents.kind === 'image') fillSubresource(c, contents, texture, 0, 0, path)
  else fillBytes(c, contents, texture.storage.bytes)
}

const areZeros = (contents: ResolvedContents): boolean =>
  contents.kind === 'generator' && contents.generator.kind === 'zero'

/** As `fillBuffer`, of a buffer that was just made: it has zeros already, which are the contents of most targets. */
export function fillNewBuffer(
  c: ContentsContext,
  contents: ResolvedContents,
  buffer: Buffer,
  format: Format | undefined,
): void {
  if (!areZeros(contents)) fillBuffer(c, contents, buffer, format)
}

/** As `fillTexture`, of a texture that was just made. */
export function fillNewTexture(c: ContentsContext, contents: ResolvedContents, texture: Texture, path: string): void {
  if (!areZeros(contents)) fillTexture(c, contents, texture, path)
}
