import { existsSync } from 'node:fs'
import { basename, dirname, join, parse } from 'node:path'
import { createHost } from '../../../src/host/node/index.ts'
import { type JobTemplate, jobTemplate, loadShader } from '../../../src/job/index.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { type OutputOptions, outputsAreApart, writeOutput } from '../files.ts'
import { type Input, inputFiles, SHADERS, STANDARD } from '../inputs.ts'
import { leadsOut, pathFrom } from '../paths.ts'
import { print } from '../print.ts'
import { printJson, sayDiagnostics, sayError } from '../say.ts'

interface Options extends OutputOptions {
  readonly force?: boolean
  readonly json?: boolean
  readonly hlslCompiler?: string
  readonly entry?: string
  readonly profile?: string
}

const EXTENSION = '.job.json'

/** Beside the shader, in the folder that is named, or where `--output` says. */
function targetOf(input: Input, options: Options): string {
  if (options.output !== undefined) return options.output
  const { dir, name } = parse(options.outDir === undefined ? input.path : input.name)
  return join(options.outDir ?? '', dir, name + EXTENSION)
}

/** JSON with each resource and each short list on a line of its own. */
function descriptionText(template: JobTemplate): string {
  const lines = Object.entries(template).map(([key, value]) => {
    const isRows = Array.isArray(value) && value.some((v) => typeof v === 'object')
    const rows = isRows ? `[\n${value.map((v) => `    ${inLine(v)}`).join(',\n')}\n  ]` : inLine(value)
    return `  ${JSON.stringify(key)}: ${rows}`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}

/** JSON on one line, with spaces where people put them. */
function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([k, v]) => `${JSON.stringify(k)}: ${inLine(v)}`)
    .join(', ')} }`
}

interface Made {
  readonly file: string
  readonly output: string
  readonly description: JobTemplate
}

function templateOf(input: Input, target: string, options: Options): JobTemplate | undefined {
  const compiler = options.hlslCompiler ?? process.env.HEDDLE_HLSL_COMPILER
  const host = createHost({ folder: '.', allowOutside: true, ...(compiler ? { compiler } : {}) })
  const { entry = 'main', profile = 'cs_5_0' } = options
  const shader = loadShader({ file: input.path, entry, profile, path: '' }, host)
  const name = parse(basename(input.path)).name
  const path = pathFrom(target === STANDARD ? '.' : dirname(target), input.path)
  const made = shader.value === undefined ? shader : jobTemplate(shader.value, name, path)
  sayDiagnostics(input.path, made === shader ? shader.diagnostics : [...shader.diagnostics, ...made.diagnostics])
  if (!made.ok || 'container' in made.value) return undefined
  return made.value as JobTemplate
}

function initOne(input: Input, options: Options, take: (made: Made) => void): ExitCode {
  if (input.path === STANDARD) {
    sayError('a description names its shader: give a file, not standard input')
    return EXIT.usage
  }
  const target = targetOf(input, options)
  if (target !== STANDARD && options.force !== true && existsSync(target)) {
    sayError(`${target} is there already; --force writes it anew`)
    return EXIT.usage
  }
  const description = templateOf(input, target, options)
  if (description === undefined) return EXIT.usage
  take({ file: input.path, output: target, description })
  if (options.json === true) return EXIT.fine
  if (!writeOutput(target, Buffer.from(descriptionText(description)), options)) return EXIT.usage
  if (target === STANDARD) return EXIT.fine
  const outside = leadsOut(String(description.shader)) ? ' --allow-outside' : ''
  print(`${target} was written; heddle run ${target}${outside} runs it\n`)
  return EXIT.fine
}

/** `heddle init`. */
export async function init(files: readonly string[], options: Options): Promise<void> {
  const { inputs, allFound } = await inputFiles(files, SHADERS)
  if (options.json !== true && !outputsAreApart(inputs, EXTENSION, options)) {
    process.exitCode = EXIT.usage
    return
  }
  const all: Made[] = []
  let worst: ExitCode = allFound ? EXIT.fine : EXIT.usage
  for (const input of inputs)
    worst = worse(
      worst,
      initOne(input, options, (made) => all.push(made)),
    )
  if (options.json === true) printJson(all)
  process.exitCode = worst
}
