import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Long suites: sweeps over seeds, kernels, corpus and widths of waves, and processes of the command line. `npm run test:slow`. */
export const SLOW = [
  'src/asm/assemble.test.ts',
  'src/asm/header/header.test.ts',
  'src/asm/lossless/lossless.test.ts',
  'src/source/corpus.test.ts',
  'src/source/expression/fuzz.test.ts',
  'src/source/mutants.test.ts',
  'src/source/run.test.ts',
  'src/source/second-reader.test.ts',
  'src/validate/corpus.test.ts',
  'src/validate/fuzz.test.ts',
  'test/check-corpus.test.ts',
  'test/cli*.test.ts',
  'test/compiled-stages.test.ts',
  'test/debug-scripts.test.ts',
  'test/differential-frames.test.ts',
  'test/differential-stages.test.ts',
  'test/differential.test.ts',
  'test/draws.test.ts',
  'test/floods.test.ts',
  'test/isolation.test.ts',
  'test/kernels.test.ts',
  'test/tune.test.ts',
  'test/pairs.test.ts',
  'test/faults/faults.test.ts',
  'test/faults/engines.test.ts',
  'test/engine/anisotropy.test.ts',
  'test/engine/band-draws.test.ts',
  'test/engine/canceled-frames.test.ts',
  'test/engine/dead-workers.test.ts',
  'test/engine/decoded-rows.test.ts',
  'test/engine/limits.test.ts',
  'test/engine/lost-in-draws.test.ts',
  'test/engine/register-chains.test.ts',
  'test/engine/facts-at-edges.test.ts',
  'test/engine/findings-parity.test.ts',
  'test/engine/opcodes*.test.ts',
  'test/engine/implicit-levels.test.ts',
  'test/engine/quick-level.test.ts',
  'test/engine/random-barriers.test.ts',
  'test/engine/seeds*.test.ts',
  'test/engine/shared-fronts.test.ts',
  'test/engine/snapshots.test.ts',
  'test/engine/speculation.test.ts',
  'test/engine/texel-pairs.test.ts',
  'test/engine/textures.test.ts',
  'test/host/long-frames.test.ts',
  'test/language/request-storms.test.ts',
  'test/time-line-walks.test.ts',
  'test/undefined-moments.test.ts',
  'test/pipeline/determinism.test.ts',
  'test/pipeline/pages-in-stages.test.ts',
  'test/pipeline/setup-code.test.ts',
]

/** Sweeps of which the quick suites do a part, by `test/support/amount.ts`, and the slow ones all. */
const SWEEPS = [
  'test/engine/shared-draws.test.ts',
  'src/validate/rules.test.ts',
  'src/machine/format/convert.test.ts',
  'src/asm/parse/official-listings.test.ts',
  'src/check/undefined/bits.test.ts',
  'src/dxbc/codecs.test.ts',
  'src/dxbc/fuzz.test.ts',
  'src/engine/reference/compile/alu.test.ts',
  'src/job/parse/json.test.ts',
  'src/job/parse/parse.test.ts',
  'src/job/parse/quick.test.ts',
  'src/job/run/fuzz.test.ts',
  'src/program/program.test.ts',
  'src/session/script.test.ts',
  'src/session/session.test.ts',
  'test/debugger-fuzz.test.ts',
  'test/engine/fuzz.test.ts',
  'test/host/draw-mutations.test.ts',
  'test/host/draw.test.ts',
  'test/language/corpus.test.ts',
  'test/language/edits.test.ts',
  'test/language/fixes.test.ts',
  'test/language/grammar.test.ts',
  'test/language/storms.test.ts',
  'src/pipeline/merge/approximate-store.test.ts',
  'test/pipeline/approximate-codes.test.ts',
  'test/pipeline/clip-model.test.ts',
  'test/pipeline/coverage.test.ts',
  'test/pipeline/fetch-code.test.ts',
  'test/pipeline/depth-alone.test.ts',
  'test/pipeline/fast-precision.test.ts',
  'test/pipeline/input-model.test.ts',
  'test/pipeline/interpolation.test.ts',
  'test/pipeline/joined-quads.test.ts',
  'test/pipeline/planes.test.ts',
  'test/pipeline/quad-kernels.test.ts',
  'test/pipeline/setup.test.ts',
  'test/pipeline/tessellator-model.test.ts',
  'test/vectors/rules.test.ts',
  'test/vectors/transcendental.test.ts',
]

/** The editor's module, which only the editor has. */
const alias = { vscode: fileURLToPath(new URL('test/vscode/fake.ts', import.meta.url)) }

const common = { alias, testTimeout: 60_000, setupFiles: ['test/support/verify-passes.ts'] }

export default defineConfig({
  test: {
    // All cores: the default leaves one idle, which of two is half.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...common,
          name: 'quick',
          include: ['src/**/*.test.ts', 'apps/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: SLOW,
          provide: { isThorough: false },
          // Files share processes: loading modules and compiling them anew took half of the time. A test leaves what it
          // changes in its process (spies, the environment) as it found it.
          isolate: false,
        },
      },
      { test: { ...common, name: 'slow', include: [...SLOW, ...SWEEPS], provide: { isThorough: true } } },
    ],
  },
})
