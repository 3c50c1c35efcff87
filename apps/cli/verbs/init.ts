import { existsSync } from 'node:fs'
import { basename, dirname, join, parse } from 'node:path'
import type { Outcome } from '../../../src/diagnostic/index.ts'
import { createHost } from '../../../src/host/node/index.ts'
import { stageOfNumber } from '../../../src/isa/index.ts'
import {
  descriptionText,
  frameTemplate,
  type JobTemplate,
  jobTemplate,
  type LoadedJobShader,
  loadShader,
} from '../../../src/job/index.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { type OutputOptions, outputsAreApart, writeOutput } from '../files.ts'
import { type Input, inputFiles, SHADERS, STANDARD } from '../inputs.ts'
import { leadsOut, pathFrom } from '../paths.ts'
import { print } from '../print.ts'
import { printDiagnostics, printJson } from '../print-diagnostics.ts'
import { printError } from '../terminal.ts'

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

interface Made {
  readonly file: string
  readonly output: string
  readonly description: JobTemplate
}

/** A shader that was named, read. */
interface Read {
  readonly input: Input
  readonly shader: LoadedJobShader
}

function readInput(input: Input, options: Options): Read | undefined {
  if (input.path === STANDARD) {
    printError('a description names its shader: give a file, not standard input')
    return undefined
  }
  const compiler = options.hlslCompiler ?? process.env.HEDDLE_HLSL_COMPILER
  const host = createHost({ folder: '.', allowOutside: true, ...(compiler ? { compiler } : {}) })
  const { entry = 'main', profile = 'cs_5_0' } = options
  const shader = loadShader({ file: input.path, entry, profile, path: '' }, host)
  printDiagnostics(input.path, shader.diagnostics)
  return shader.ok ? { input, shader: shader.value } : undefined
}

const stageOf = ({ shader }: Read) => stageOfNumber(shader.program.stageNumber)
const isCompute = (r: Read): boolean => stageOf(r) === 'compute'

/** The path of a shader as a description has it. */
const pathIn = (target: string, { input }: Read): string =>
  pathFrom(target === STANDARD ? '.' : dirname(target), input.path)

/** What a description is called: the shader, without what says its stage. */
function titleOf({ input }: Read): string {
  const { name } = parse(basename(input.path))
  return name.replace(/(?<=.)[._-](vs|vert|vertex)$/i, '')
}

const namingShader = (all: readonly Read[]): Read => all.find((r) => stageOf(r) === 'vertex') ?? all[0]!

/** The input by which the frame's output is named: the vertex shader, without the part of its name that says the stage. */
function frameInput(named: Read): Input {
  const renamed = (path: string): string => join(dirname(path), `${titleOf(named)}.dxbc`)
  return { path: renamed(named.input.path), name: renamed(named.input.name) }
}

/** Writes what was made of a shader, or of several. */
function finish(
  template: Outcome<JobTemplate>,
  from: Read,
  target: string,
  options: Options,
  take: (made: Made) => void,
): ExitCode {
  printDiagnostics(from.input.path, template.diagnostics)
  if (!template.ok) return EXIT.usage
  const description = template.value
  take({ file: from.input.path, output: target, description })
  if (options.json === true) return EXIT.fine
  if (target !== STANDARD && options.force !== true && existsSync(target)) {
    printError(`${target} is there already; --force writes it anew`)
    return EXIT.usage
  }
  if (!writeOutput(target, Buffer.from(`${descriptionText(description)}\n`), options)) return EXIT.usage
  if (target === STANDARD) return EXIT.fine
  const files = description.shaders === undefined ? [description.shader] : Object.values(description.shaders as object)
  const outside = files.some((file) => leadsOut(String(file))) ? ' --allow-outside' : ''
  const [shown] = (description.commands as { clear?: string }[] | undefined) ?? []
  const preview = shown?.clear === undefined ? '' : ` --preview ${shown.clear}`
  print(`${target} was written; heddle run ${target}${outside}${preview} runs it\n`)
  return EXIT.fine
}

function initCompute(read: Read, options: Options, take: (made: Made) => void): ExitCode {
  const target = targetOf(read.input, options)
  const name = parse(basename(read.input.path)).name
  return finish(jobTemplate(read.shader, name, pathIn(target, read)), read, target, options, take)
}

/** One frame of the shaders of a pipeline; it is named after the vertex shader. */
function initFrame(all: readonly Read[], options: Options, take: (made: Made) => void): ExitCode {
  const named = namingShader(all)
  const title = titleOf(named)
  const target = targetOf(frameInput(named), options)
  const shaders = all.map((r) => ({ shader: r.shader, file: pathIn(target, r) }))
  return finish(frameTemplate(shaders, title), named, target, options, take)
}

/** `heddle init`. */
export async function init(files: readonly string[], options: Options): Promise<void> {
  const { inputs, allFound } = await inputFiles(files, SHADERS)
  const read = inputs.flatMap((input) => readInput(input, options) ?? [])
  const others = read.filter((r) => !isCompute(r))
  const frame = others.length === 0 ? [] : [frameInput(namingShader(others))]
  const described = [...read.filter(isCompute).map((r) => r.input), ...frame]
  if (options.json !== true && !outputsAreApart(described, EXTENSION, options)) {
    process.exitCode = EXIT.usage
    return
  }
  const made: Made[] = []
  const take = (one: Made): void => {
    made.push(one)
  }
  let worst: ExitCode = allFound && read.length === inputs.length ? EXIT.fine : EXIT.usage
  for (const r of read.filter(isCompute)) worst = worse(worst, initCompute(r, options, take))
  if (others.length > 0) worst = worse(worst, initFrame(others, options, take))
  if (options.json === true) printJson(made)
  process.exitCode = worst
}
