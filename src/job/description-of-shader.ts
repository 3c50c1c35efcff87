/** What a shader is run with: a description that lies beside it, or one that is made of what it declares. */
import type { Outcome } from '../diagnostic/index.ts'
import { stageOfNumber } from '../isa/index.ts'
import { namesShader, shadersOf } from './described-shaders.ts'
import { frameTemplate, type TemplateShader } from './frame/index.ts'
import { type Description, parseDescriptionText } from './parse/parse-description.ts'
import type { LoadedJobShader } from './run/shader.ts'
import { type JobTemplate, jobTemplate } from './run/template.ts'

/** A run description in a file of the shader's folder. */
export interface DescriptionFile {
  readonly name: string
  readonly text: string
}

const isCompute = ({ program }: LoadedJobShader): boolean => stageOfNumber(program.stageNumber) === 'compute'

const EXTENSION = '.job.json'

/** `blur.job.json` for `blur.dxasm`. */
const descriptionName = (file: string): string => file.replace(/\.[^./\\]*$/, '') + EXTENSION

/**
 * The description beside a shader: the one of its name, and for a shader of a draw any frame that names it. What is wrong with the
 * one of its name is the outcome; others that cannot be read are passed over.
 */
export function descriptionBeside(
  shader: LoadedJobShader,
  file: string,
  beside: readonly DescriptionFile[],
): Outcome<Description> | undefined {
  const own = descriptionName(file)
  const ordered = [...beside].sort((a, b) => Number(b.name === own) - Number(a.name === own))
  for (const { name, text } of ordered) {
    const isOwn = name === own
    if (!isOwn && isCompute(shader)) return undefined
    const read = parseDescriptionText(text)
    if (read.value === undefined) {
      if (isOwn) return read
      continue
    }
    const isJob = read.value.kind === 'job'
    const isOfShader = isJob
      ? isOwn && isCompute(shader)
      : shadersOf(read.value).some((s) => namesShader(s.source, file))
    if (isOfShader) return read
  }
  return undefined
}

/** A description of shaders that run together: of one compute shader, or of the shaders of a pipeline. */
export function descriptionTemplate(shaders: readonly TemplateShader[], name: string): Outcome<JobTemplate> {
  const [first] = shaders
  if (first !== undefined && shaders.length === 1 && isCompute(first.shader))
    return jobTemplate(first.shader, name, first.file)
  return frameTemplate(shaders, name)
}
