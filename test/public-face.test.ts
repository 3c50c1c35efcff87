import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { reportDoors } from '../scripts/api-report.ts'
import type { Outcome } from '../src/diagnostic/index.ts'
import type * as dxbc from '../src/host/dxbc.ts'
import type * as engine from '../src/host/engine.ts'
import type * as job from '../src/host/job.ts'
import * as heddle from '../src/index.ts'

const ROOT = new URL('../', import.meta.url)

/** The one function that has its twin under another name: `disassemble` itself gives a text for any bytes. */
interface Renamed {
  readonly disassembleOutcome: 'disassembleOrThrow'
}

type TwinName<K extends string> = K extends keyof Renamed ? Renamed[K] : `${K}OrThrow`

/** Functions of a door that return an outcome. */
type Readers<M> = {
  [K in keyof M]: M[K] extends (...given: never[]) => infer R ? (R extends Outcome<unknown> ? K : never) : never
}[keyof M] &
  string

/** Readers without a twin, and readers whose twin does not return their value. */
type Missing<M> = { [K in Readers<M>]: TwinName<K> extends keyof M ? never : K }[Readers<M>]
type Different<M> = {
  [K in Readers<M>]: TwinName<K> extends keyof M
    ? M[TwinName<K>] extends (...given: never[]) => infer R
      ? M[K] extends (...given: never[]) => Outcome<R>
        ? never
        : K
      : K
    : never
}[Readers<M>]

/** What is wrong with a door; never where nothing is. Distributes over doors. */
type Wrong<M> = M extends unknown ? Missing<M> | Different<M> : never
type Doors = typeof heddle | typeof dxbc | typeof engine | typeof job
type None<T> = [T] extends [never] ? true : T

// This does not compile while a function has no twin that returns its value: the error names the function.
const twins: None<Wrong<Doors>> = true

function filesBelow(folder: URL): URL[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? filesBelow(new URL(`${e.name}/`, folder)) : [new URL(e.name, folder)],
  )
}

describe('the public face', () => {
  const reports = reportDoors()

  it('has a throwing twin for every function that reads', () => {
    // The type finds readers at all: these are some.
    const readers: readonly Readers<typeof heddle>[] = ['readDxbc', 'parseProgram', 'disassembleOutcome', 'srv']
    expect(twins).toBe(true)
    expect(Object.keys(heddle)).toEqual(expect.arrayContaining([...readers]))
  })

  it('is as reviewed; npm run api writes api/ anew', () => {
    expect(readdirSync(new URL('api/', ROOT)).toSorted()).toEqual(reports.map((r) => r.file).toSorted())
    for (const { file, text } of reports) {
      expect(text, `api/${file} is out of date: npm run api`).toBe(readFileSync(new URL(`api/${file}`, ROOT), 'utf8'))
    }
  })

  it.each(reports.map((r) => [r.door, r] as const))('says what each export of %s is', (_, { undocumented }) => {
    expect(undocumented).toEqual([])
  })
})

describe('outcomes', () => {
  it('are made in one place, which keeps `ok` in step with the diagnostics', () => {
    const sources = [...filesBelow(new URL('src/', ROOT)), ...filesBelow(new URL('apps/', ROOT))]
    const writing = sources
      .filter(({ pathname: p }) => p.endsWith('.ts') && !p.endsWith('.test.ts') && !p.includes('/src/diagnostic/'))
      .filter((f) => /\bok: (true|false)\b/.test(readFileSync(f, 'utf8')))
    expect(writing.map((f) => f.pathname)).toEqual([])
  })
})
