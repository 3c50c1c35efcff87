import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { INSTRUCTIONS } from '../src/isa/index.ts'

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))

const CONTRACT = ['diagnostic', 'isa', 'dxbc', 'program', 'machine', 'engine'] as const
const ENGINE_ROOMS = ['reference', 'ir', 'lower', 'analysis', 'transform', 'texture', 'wasm']

/** The rooms between a program and WebAssembly. */
const COMPILER = ['ir', 'lower', 'analysis', 'transform', 'texture', 'wasm'].map((room) => `engine/${room}`)

/** What each room may import, the public face aside. `engine/x` is a room of its own inside `engine`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  diagnostic: [],
  isa: [],
  dxbc: ['diagnostic', 'isa'],
  program: ['diagnostic', 'isa'],
  shader: ['diagnostic', 'dxbc', 'program'],
  asm: ['diagnostic', 'isa', 'dxbc', 'program', 'shader'],
  validate: ['diagnostic', 'isa', 'dxbc', 'program', 'shader'],
  machine: ['diagnostic', 'isa', 'dxbc', 'program'],
  engine: ['diagnostic', 'isa', 'dxbc', 'program', 'machine', 'shader'],
  'engine/reference': [...CONTRACT],
  'engine/ir': [...CONTRACT],
  'engine/lower': [...CONTRACT, 'engine/ir'],
  'engine/analysis': [...CONTRACT, 'engine/ir'],
  'engine/texture': [...CONTRACT, 'engine/ir'],
  'engine/transform': [...CONTRACT, 'engine/ir', 'engine/analysis'],
  'engine/wasm': [...CONTRACT, 'engine/ir', 'engine/lower', 'engine/analysis', 'engine/texture', 'engine/transform'],
  job: ['diagnostic', 'isa', 'dxbc', 'program', 'shader', 'asm', 'machine', 'engine', 'pipeline'],
  pipeline: ['diagnostic', 'isa', 'dxbc', 'program', 'machine', 'engine'],
  check: ['diagnostic', 'isa', 'dxbc', 'program', 'shader', 'machine', 'engine'],
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? filesBelow(join(folder, e.name)) : [join(folder, e.name)],
  )
}

const SOURCES = filesBelow(SOURCE).filter((f) => f.endsWith('.ts') && !f.endsWith('.test.ts'))

function roomOf(path: string): string {
  const parts = relative(SOURCE, path).split('/')
  const engineRoom = parts[0] === 'engine' && ENGINE_ROOMS.includes(parts[1] ?? '')
  return engineRoom ? `engine/${parts[1]}` : parts.length === 1 ? '.' : parts[0]!
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const statements = text.matchAll(/^(?:import|export) (?:type )?(?:[\w*{}, \n]+ from )?'([^']+)'$/gm)
  const dynamic = text.matchAll(/\bimport\('([^']+)'\)/g)
  return [...statements, ...dynamic].map((m) => m[1]!)
}

describe('the house', () => {
  it('has only rooms that the plan knows', () => {
    const rooms = new Set(SOURCES.map(roomOf))
    expect([...rooms].filter((r) => r !== '.' && r !== 'host' && MAY_IMPORT[r] === undefined)).toEqual([])
  })

  it('is imported downwards only', () => {
    const wrong: string[] = []
    for (const path of SOURCES) {
      const allowed = MAY_IMPORT[roomOf(path)]
      if (allowed === undefined) continue
      for (const specifier of importsOf(path).filter((s) => s.startsWith('.'))) {
        const room = roomOf(resolve(dirname(path), specifier))
        if (room !== roomOf(path) && !allowed.includes(room))
          wrong.push(`${relative(SOURCE, path)} imports ${specifier}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('touches no Node module and no package outside the command line', () => {
    // Adapters to Node live in host/node. The wasm engine has one adapter to worker_threads, behind the package's import conditions.
    // The matchers for vitest name its types, which a user of them has.
    const exempt = (path: string): boolean =>
      path.includes('/host/node/') || /engine\/wasm\/run\/workers\/\w+\.ts$|check\/vitest\.ts$/.test(path)
    const wrong = SOURCES.filter((p) => !exempt(p)).flatMap((path) =>
      importsOf(path)
        .filter((s) => !s.startsWith('.') && !s.startsWith('#'))
        .map((s) => `${relative(SOURCE, path)} imports ${s}`),
    )
    expect(wrong).toEqual([])
  })

  it('has no import cycle between files', () => {
    const graph = new Map(
      SOURCES.map((p) => [
        p,
        importsOf(p)
          .filter((s) => s.startsWith('.'))
          .map((s) => resolve(dirname(p), s)),
      ]),
    )
    const state = new Map<string, 'open' | 'done'>()
    const cycles: string[] = []
    const visit = (path: string, trail: readonly string[]): void => {
      if (state.get(path) === 'done') return
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].map((p) => relative(SOURCE, p)).join(' -> '))
        return
      }
      state.set(path, 'open')
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
      state.set(path, 'done')
    }
    for (const path of SOURCES) visit(path, [])
    // Type-only imports inside one room may be mutual, but in the compiler; a cycle of rooms may not.
    const roomsOf = (c: string): string[] => c.split(' -> ').map((p) => roomOf(join(SOURCE, p)))
    const wrong = cycles.filter((c) => new Set(roomsOf(c)).size > 1 || COMPILER.includes(roomsOf(c)[0]!))
    expect(wrong).toEqual([])
  })

  it('imports rooms of the compiler through their index, and has no folder of more than 25 files in them', () => {
    const wrong: string[] = []
    const files = new Map<string, number>()
    for (const path of SOURCES) {
      if (COMPILER.includes(roomOf(path))) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1)
      for (const specifier of importsOf(path).filter((s) => s.startsWith('.'))) {
        const room = roomOf(resolve(dirname(path), specifier))
        const isOther = COMPILER.includes(room) && room !== roomOf(path)
        if (isOther && !specifier.endsWith('/index.ts')) wrong.push(`${relative(SOURCE, path)} imports ${specifier}`)
      }
    }
    for (const [folder, count] of files) if (count > 25) wrong.push(`${relative(SOURCE, folder)} has ${count} files`)
    expect(wrong).toEqual([])
  })

  it('asks rows of operations what they are, not their names', () => {
    const named = /\.(?:starts|ends)With\('(?:[fiu](?:32|64)|F(?:32|64))/
    const wrong = SOURCES.filter((p) => p.includes('/engine/') && named.test(readFileSync(p, 'utf8')))
    expect(wrong.map((p) => relative(SOURCE, p))).toEqual([])
  })

  it('describes an instruction in one place: no mnemonic or opcode is compared outside isa', () => {
    const mnemonics = new Set(INSTRUCTIONS.filter((r) => r.mnemonic.includes('_')).map((r) => r.mnemonic))
    const wrong: string[] = []
    for (const path of SOURCES.filter((p) => roomOf(p) !== 'isa')) {
      readFileSync(path, 'utf8')
        .split('\n')
        .forEach((line, i) => {
          const compared = [...line.matchAll(/[=!]==\s*'(\w+)'|case '(\w+)':/g)].map((m) => m[1] ?? m[2]!)
          const names =
            compared.some((w) => mnemonics.has(w)) || /\.mnemonic\s*[=!]==|\.opcode\s*[=!]==\s*\d/.test(line)
          if (names) wrong.push(`${relative(SOURCE, path)}:${i + 1}: ${line.trim()}`)
        })
    }
    expect(wrong).toEqual([])
  })

  it('spreads no list into the arguments of a call: long ones end in a RangeError', () => {
    // Lanes of one wave: at most 16.
    const short = new Set(['engine/wasm/emit/pattern-address.ts'])
    const spread = /(?:\.(?:push|unshift|concat)|Math\.(?:min|max)|\.from(?:CharCode|CodePoint))\(.*\.\.\./
    // Items of array and object literals may be spread: they do not go over the stack.
    const withoutLiterals = (line: string): string => {
      const shorter = line.replace(/[[{][^[\]{}]*[\]}]/g, '')
      return shorter === line ? line : withoutLiterals(shorter)
    }
    const wrong: string[] = []
    for (const path of SOURCES.filter((p) => !short.has(relative(SOURCE, p)))) {
      readFileSync(path, 'utf8')
        .split('\n')
        .forEach((line, i) => {
          if (!spread.test(withoutLiterals(line))) return
          wrong.push(`${relative(SOURCE, path)}:${i + 1}: ${line.trim()}; use appendAll or largest`)
        })
    }
    expect(wrong).toEqual([])
  })
})
