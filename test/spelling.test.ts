import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** What is written by hand and read by people: code and its names, comments, messages, pages. */
const PLACES = ['src', 'apps', 'scripts', 'test', 'bench', 'docs', 'README.md', 'CONTRIBUTING.md']

/** Shaders and their descriptions with the names they were given, recorded measurements, and this list. */
const LEFT_OUT = /^(?:test\/(?:corpus|kernels|draws)\/|bench\/results\/|test\/spelling\.test\.ts$)/

/** British stems, anywhere in a word. The American ones stand in CONTRIBUTING.md. */
const BRITISH = new RegExp(
  [
    ...['colour', 'neighbour', 'behaviour', 'honour', 'favour', 'flavour', 'labour', 'grey'],
    ...['centre', 'metre(?!tric)', 'fibre', 'defence', 'licence', 'catalogue', 'judgement', 'artefact', 'misspelt'],
    ...['cancell(?:ed|ing)', 'signall(?:ed|ing)', 'labell(?:ed(?!by)|ing)', 'modell(?:ed|ing)', 'travell(?:ed|ing)'],
    ...[
      'channell(?:ed|ing)',
      'levell(?:ed|ing)',
      'fulfil(?:s|ment)?\\b',
      'analys(?:ed|er|ing)',
      'paralys',
      'synthesise',
    ],
    ...['initialis', 'normalis', 'rasteris', 'optimis', 'serialis', 'vectoris', 'linearis', 'specialis', 'generalis'],
    ...['recognis', 'organis(?!m)', 'minimis', 'maximis', 'summaris', 'materialis', 'categoris', 'utilis', 'quantis'],
    ...['parallelis(?!m)', 'randomis', 'finalis', 'localis', 'prioritis', 'canonicalis', 'standardis', 'emphasise'],
    ...['symbolis(?!m)', 'tokenis', 'memois', 'stabilis', 'visualis', 'customis', 'equalis', 'realis(?:e|ing|ation)'],
  ].join('|'),
  'gi',
)

/** Names of other people's things. */
const NAMES: readonly { readonly path: string; readonly word: string }[] = [
  // A member of a structure of the kernel oit.
  { path: 'src/job/run/prepare.test.ts', word: 'colour' },
  { path: 'docs/running.md', word: 'colour' },
  // What the two protocols say of requests that were canceled.
  ...['apps/dap/context.ts', 'apps/lsp/server/strategy.ts', 'test/dap-worker.test.ts'].map((path) => ({
    path,
    word: 'cancelled',
  })),
  // Codes and words of older versions.
  ...['initialis', 'cancelled'].map((word) => ({ path: 'src/diagnostic/codes/former.ts', word })),
]

function filesAt(place: string): string[] {
  if (/\.\w+$/.test(place)) return [place]
  return readdirSync(join(ROOT, place), { withFileTypes: true }).flatMap((e) => {
    const path = `${place}/${e.name}`
    return LEFT_OUT.test(e.isDirectory() ? `${path}/` : path) ? [] : e.isDirectory() ? filesAt(path) : [path]
  })
}

const FILES = PLACES.flatMap(filesAt)

const britishIn = (text: string): string[] => text.match(BRITISH)?.map((word) => word.toLowerCase()) ?? []

describe('spelling is American', () => {
  it('is recognized', () => {
    expect(britishIn('isCancelled, RASTERISER, analysis, parallelism, analyses, geometre, colorful')).toEqual([
      ...['cancelled', 'rasteris', 'metre'],
    ])
  })

  it('in names of files', () => {
    expect(FILES.filter((path) => britishIn(path).length > 0)).toEqual([])
  })

  it('in names, comments, messages and pages', () => {
    const wrong = FILES.filter((path) => /\.(?:ts|mts|js|mjs|md)$/.test(path)).flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          britishIn(line)
            .filter((word) => !NAMES.some((n) => n.path === path && n.word === word))
            .map((word) => `${path}:${i + 1}: ${word}`),
        ),
    )
    expect(wrong).toEqual([])
  })

  it('has no exception that is not needed', () => {
    const unneeded = NAMES.filter((n) => !britishIn(readFileSync(join(ROOT, n.path), 'utf8')).includes(n.word))
    expect(unneeded).toEqual([])
  })
})
