import { describe, expect, it } from 'vitest'
import { type CorpusFile, corpusFiles } from '../../test/support/corpus.ts'
import {
  computeChecksum,
  decodeChunk,
  encodeChunk,
  readDxbc,
  readDxbcOrThrow,
  storedChecksum,
  writeDxbc,
} from './index.ts'

const FILES = corpusFiles()

/** The files that fxc signs as shaders for the debug layer: they hold printf, errorf or abort. */
const DEBUG_LAYER = [
  'cs/printf_args',
  'cs/printf_args.ps',
  'cs/shader_message',
  'cs/shader_message.od',
  'quirks/cs4_printf_escapes',
  'quirks/cs_printf_escapes',
]

const names = (files: readonly CorpusFile[]) => files.map((file) => file.name)

describe('every file of the corpus', () => {
  it('is written as it was read', () => {
    const differing = FILES.filter(({ bytes }) => Buffer.compare(writeDxbc(readDxbcOrThrow(bytes)), bytes) !== 0)
    expect(names(differing)).toEqual([])
  })

  it('is read without findings and needs no layout fields', () => {
    const odd = FILES.filter(({ bytes }) => {
      const { value, diagnostics } = readDxbc(bytes)
      return diagnostics.length > 0 || value?.storageOrder !== undefined || value?.tail !== undefined
    })
    expect(names(odd)).toEqual([])
  })

  it('carries the ordinary checksum, but for the shaders of the debug layer', () => {
    const other = FILES.filter(({ bytes }) => Buffer.compare(computeChecksum(bytes), storedChecksum(bytes)) !== 0)
    expect(names(other)).toEqual(DEBUG_LAYER)
    const stored = FILES.filter(({ bytes }) => readDxbcOrThrow(bytes).checksum.kind === 'stored')
    expect(names(stored)).toEqual(DEBUG_LAYER)
  })

  it('has each part encoded again from its model, in the layout of fxc', () => {
    const findings: string[] = []
    const counts: Record<string, number> = {}
    for (const { name, bytes } of FILES) {
      for (const chunk of readDxbcOrThrow(bytes).chunks) {
        const { value, diagnostics } = decodeChunk(chunk)
        counts[value.kind] = (counts[value.kind] ?? 0) + 1
        const layout = 'value' in value && 'layout' in value.value ? value.value.layout : undefined
        const same = Buffer.compare(encodeChunk(value), chunk.data) === 0
        if (diagnostics.length > 0 || layout !== undefined || !same) findings.push(`${name} ${chunk.fourcc}`)
      }
    }
    expect(findings).toEqual([])
    expect(counts).not.toHaveProperty('raw')
    expect(counts).not.toHaveProperty('unknown')
    for (const kind of ['resource-definition', 'statistics', 'program']) expect(counts[kind]).toBeGreaterThan(400)
    expect(counts.signature).toBeGreaterThan(1000)
    expect(counts.interfaces).toBeGreaterThan(10)
    expect(counts['root-signature']).toBe(3)
  })

  it('has models that do not hold the bytes they came from', () => {
    for (const { bytes } of FILES.slice(0, 40)) {
      for (const chunk of readDxbcOrThrow(bytes).chunks) {
        const { value } = decodeChunk(chunk)
        if (!('value' in value)) continue
        const rebuilt = structuredClone(value)
        const before = encodeChunk(rebuilt)
        chunk.data.fill(0)
        expect(Buffer.compare(encodeChunk(value), before)).toBe(0)
      }
    }
  })
})
