import type { CodeInfo } from './code-info.ts'

/** Codes of run descriptions (`heddle run`, `check` and `bench`). */
export const JOB_CODES = {
  'job-json': {
    severity: 'error',
    title: 'Not JSON',
    explanation:
      'A run description is one JSON object (RFC 8259): double quotes around names and texts, no comma behind the last member, no comments, each name once. The place is where reading had to stop.',
  },
  'job-unknown-field': {
    severity: 'error',
    title: 'Unknown field',
    explanation:
      'The object has a field that does not belong there. It is refused and not ignored, since a misspelled field would run something else than was meant. docs/running.md and the JSON schema (heddle/job.schema.json) list the fields.',
  },
  'job-missing-field': {
    severity: 'error',
    title: 'Field that is needed',
    explanation:
      'A run description says what to run (shader), how many groups (dispatch), and for each resource its slot and kind and what a resource of the kind cannot do without: the stride of structures, the format of texels, a size or contents to take it from.',
  },
  'job-wrong-type': {
    severity: 'error',
    title: 'Value of the wrong type',
    explanation:
      'The field takes another type of JSON value than was given. Counts, sizes and offsets are whole numbers; words are whole numbers from -2147483648 to 4294967295 or texts such as "0x3f800000"; floats are numbers, or the texts "NaN", "Infinity", "-Infinity", or their bits in hexadecimal.',
  },
  'job-out-of-range': {
    severity: 'error',
    title: 'Value out of range',
    explanation:
      'The value has the right type and is not one of the known words, or lies outside the range that the message gives.',
  },
  'job-slot': {
    severity: 'error',
    title: 'Slot that does not fit',
    explanation:
      'Slots are named t0 (shader resource views), u0 (unordered access views), b0 (constant buffers) and s0 (samplers), with ",space1" and so on in Shader Model 5.1. Each is described once, a kind of resource goes only where Direct3D binds it, and what is printed, checked or shared must be one of the resources.',
  },
  'job-name': {
    severity: 'error',
    title: 'Name that nothing has',
    explanation:
      'Descriptions of version 2 name their resources, shaders and pipelines, and refer to them by these names. A name is used that is not described, a name is described twice, or a draw names a compute pipeline and a dispatch a graphics one.',
  },
  'job-command': {
    severity: 'error',
    title: 'Command that cannot be carried out',
    explanation:
      'A command of a frame was refused: its resource is of the wrong kind, its arguments lie outside what the resource holds, or its draw or dispatch is not possible. The message has the reason. Commands before it have been carried out where the reason depends on what they leave.',
  },
  'job-missing-resource': {
    severity: 'error',
    title: 'Declared slot that the description leaves out',
    explanation:
      'The shader declares the slot and the description has no resource for it. Direct3D defines what happens then (loads give 0, stores do nothing), so it can be allowed: list the slot in the field "unbound". Without that it is taken for an omission. heddle init SHADER writes a description with a resource for each slot.',
    source: 'functional specification 7.18.17 and 22.4',
  },
  'job-undeclared-resource': {
    severity: 'warning',
    title: 'Resource that the shader does not use',
    explanation:
      'The description binds a slot, or lists one in unbound, that the shader does not declare, so the shader never sees it. Compilers remove what is not used; it may also be the wrong slot.',
  },
  'job-file': {
    severity: 'error',
    title: 'File that cannot be read',
    explanation:
      'Files are named relative to the folder of the run description, or to the current folder on the command line.',
  },
  'job-image': {
    severity: 'error',
    title: 'Image that does not fit',
    explanation:
      'PNG images fill one mip of one slice of a texture, and must have its extents; they are written from textures with a format that has colors. Components go from 0 to 255: UNORM formats take them as fractions of 255, SRGB formats as their own codes, integer formats as numbers.',
  },
  'job-size': {
    severity: 'error',
    title: 'Contents and size do not agree',
    explanation:
      'The contents given are longer than the resource, or expected contents do not have the length of what they are compared with. Contents shorter than a resource are fine: the rest is zero.',
  },
  'job-reflection': {
    severity: 'error',
    title: 'Names without reflection',
    explanation:
      'Values by field name need the reflection part (RDEF) of the shader, which says where each field lies. It was stripped, the shader was assembled from text without one, or it does not describe this slot. Give words or floats instead.',
  },
  'job-shader': {
    severity: 'error',
    title: 'No shader to run',
    explanation:
      'The file is neither a compiled shader (DXBC), nor assembly text that assembles, nor HLSL with a compiler named; or the container holds no program.',
  },
  'job-compiler': {
    severity: 'error',
    title: 'HLSL compiler did not give a shader',
    explanation:
      'Heddle ships no compiler. Name one with --hlsl-compiler or HEDDLE_HLSL_COMPILER: its program and arguments, in which {input}, {output}, {entry} and {profile} are put in place, for example: fxc /nologo /T {profile} /E {entry} /Fo {output} {input}. No shell sees it; double or single quotes hold words with spaces together.',
  },
  'job-engine': {
    severity: 'error',
    title: 'Engine that is not there',
    explanation: 'The engine named is not one of those that this version has. heddle run --help lists them.',
  },
  'job-missing-member': {
    severity: 'warning',
    title: 'Constant without a value',
    explanation:
      'The values of a constant buffer are given by name, and a variable that the shader reads is not among them. It is 0, also where the HLSL has an initial value: Direct3D leaves setting that to the application. Give 0 where it is meant.',
  },
  'job-difference': {
    severity: 'error',
    title: 'Contents that are not as expected',
    explanation:
      'After the dispatch a slot does not hold what the description expects of it, by more than its tolerances allow. The first elements that differ, how many there are and the greatest difference are printed. Where the new contents are right, heddle run --update writes the files that checks name.',
  },
  'job-flag': {
    severity: 'error',
    title: 'Flag that does not go with the file',
    explanation:
      'Flags such as --srv and --dispatch describe the run of a shader. A run description has its resources and its dispatch itself, so that the flags would be without effect; they are refused.',
  },
  'job-nothing-to-compare': {
    severity: 'hint',
    title: 'Check without expected contents',
    explanation:
      'A check has its expected contents in a file, as data in the description, or as a counter value. Descriptions for timing only state tolerances; nothing is compared for them.',
  },
  'job-list': {
    severity: 'error',
    title: 'Linked lists that do not end',
    explanation:
      'A check of kind lists follows the nodes from each head. A head or next link lies outside the nodes, or the lists have more nodes than there are: they go round in a circle or share a tail.',
  },
  'job-template': {
    severity: 'hint',
    title: 'Description that covers a part',
    explanation:
      'heddle init describes each slot that a shader declares. Of an array of resources, which may have no bounds, it describes the first ones; what else the shader reaches has to be added by hand, or listed in "unbound".',
  },
} as const satisfies Record<string, CodeInfo>
