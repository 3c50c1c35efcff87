/**
 * The scenes of `draws/`: what each leaves was worked out from the specification by another program, in another way; the
 * tolerances are those that its description states. `patterns.json` has hashes of what that program's generators made.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { withFallback } from '../src/engine/fallback.ts'
import { type Engine, runPartsAtOnce } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { createHost } from '../src/host/node/job-host.ts'
import { PATTERN_NAMES, type PatternName, patternBytesInParts } from '../src/job/frame/patterns/index.ts'
import { type FrameReport, parseDescriptionText, runFrameOn } from '../src/job/index.ts'

const FOLDER = fileURLToPath(new URL('draws/', import.meta.url))
const SCENES = readdirSync(FOLDER, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []))

async function run(scene: string, engine: Engine): Promise<FrameReport> {
  const folder = join(FOLDER, scene)
  const { value, diagnostics } = parseDescriptionText(readFileSync(join(folder, 'small.json'), 'utf8'))
  if (value?.kind !== 'frame') throw new Error(diagnostics.map((d) => d.message).join('\n'))
  return runFrameOn(value.frame, createHost({ folder }), engine)
}

/** What a frame left: the bytes of its resources, and what its commands counted and found. */
function left({ run: ran }: FrameReport) {
  const resources = [...ran!.prepared.resources].map(([name, { resource }]) => [
    name,
    createHash('sha256').update(resource.storage.bytes).digest('hex'),
  ])
  return { resources, counts: ran!.commands.map((c) => [c.draw?.statistics, c.draw?.samplesPassed]) }
}

const COMPILED = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))

describe('the scenes', () => {
  for (const scene of SCENES) {
    it(`${scene} leaves what the specification says, compiled too`, { timeout: 120_000 }, async () => {
      const report = await run(scene, createReferenceEngine({}))
      expect(report.diagnostics).toEqual([])
      expect(report.run?.stopped).toBeUndefined()
      const failed = report.run?.checks.filter((c) => !c.passed)
      expect(report.run?.checks.length).toBe(1)
      expect(failed).toEqual([])
      const compiled = await run(scene, COMPILED)
      expect(compiled.diagnostics).toEqual([])
      expect(compiled.engine).toBe('wasm')
      expect(left(compiled)).toEqual(left(report))
    })
  }
})

describe('scissor rectangles of a scene', () => {
  const scene = JSON.parse(readFileSync(join(FOLDER, 'raymarch/small.json'), 'utf8'))
  const { RS } = scene.pipelines.main
  const withRectangle = (rectangle: object) => ({
    ...scene,
    check: [],
    pipelines: {
      main: {
        ...scene.pipelines.main,
        RS: { ...RS, ScissorRects: [rectangle], State: { ...RS.State, ScissorEnable: true } },
      },
    },
  })

  // The fields of a D3D11_RECT are in small letters.
  for (const rectangle of [
    { left: 5, top: 7, right: 25, bottom: 17 },
    { Left: 5, Top: 7, Right: 25, Bottom: 17 },
  ]) {
    it(`bound what is drawn: ${Object.keys(rectangle)}`, async () => {
      const { value, diagnostics } = parseDescriptionText(JSON.stringify(withRectangle(rectangle)))
      expect(diagnostics).toEqual([])
      if (value?.kind !== 'frame') throw new Error('no frame')
      const { run: ran } = await runFrameOn(value.frame, createHost({ folder: join(FOLDER, 'raymarch') }), COMPILED)
      expect(ran?.commands.at(-1)?.draw?.samplesPassed).toBe(20 * 10)
    })
  }

  it('name the side that is missing as Direct3D does', () => {
    const { diagnostics } = parseDescriptionText(JSON.stringify(withRectangle({ left: 5, top: 7, right: 25 })))
    expect(diagnostics.map((d) => d.place)).toEqual([
      { kind: 'path', path: '$.pipelines.main.RS.ScissorRects[0].bottom' },
    ])
  })
})

interface PatternCase {
  readonly name: PatternName
  readonly parameters: Readonly<Record<string, number>>
  readonly width: number
  readonly height: number
  readonly sha256: string
}

describe('patterns', () => {
  const cases = JSON.parse(readFileSync(join(FOLDER, 'patterns.json'), 'utf8')) as readonly PatternCase[]

  it('are made with the same bytes by two programs', () => {
    for (const { sha256, name, parameters, width, height } of cases) {
      const bytes = runPartsAtOnce(
        patternBytesInParts({ kind: 'pattern', name, parameters, path: '' }, { width, height }),
      )
      expect({ name, parameters, sha256: createHash('sha256').update(bytes).digest('hex') }).toEqual({
        name,
        parameters,
        sha256,
      })
    }
  })

  it('are all among the cases', () => {
    expect(PATTERN_NAMES.filter((name) => !cases.some((c) => c.name === name))).toEqual([])
  })
})
