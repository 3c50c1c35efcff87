/** What a job needs of the system: the job room reaches files, images and compilers through it alone. */

/** Something that did not work, in words that follow "cannot read x: ". */
export interface HostFailure {
  readonly reason: string
  readonly notes?: readonly string[]
}

export function isFailure(x: object): x is HostFailure {
  return 'reason' in x
}

/** Pixels of 8 or 16 bits, RGBA, rows from the top. */
export interface Image {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array | Uint16Array
}

/** A part of a file: to its end where there is no length. */
export interface FileRange {
  readonly byteOffset: number
  readonly byteLength?: number
}

/** What a job needs of the system. Paths are as the description has them. */
export interface JobHost {
  /** The file, or the requested part of it; shorter where the file ends before. */
  readFile(path: string, range?: FileRange): Uint8Array | HostFailure
  /** A failure, or nothing where the file was written. */
  writeFile(path: string, bytes: Uint8Array): HostFailure | undefined
  /** The pixels of a PNG file, or why there are none; absent where the host reads no images. */
  readonly decodePng?: (bytes: Uint8Array) => Image | HostFailure
  /** A PNG file, of 16 bits where the pixels have them; absent where the host writes no images. */
  readonly encodePng?: (image: Image) => Uint8Array
  /** Runs the HLSL compiler that the user named; absent where none is. */
  readonly compile?: (path: string, entry: string, profile: string) => Uint8Array | HostFailure
}

/** A host for descriptions that name no files. */
export const NO_FILES: JobHost = {
  readFile: () => ({ reason: 'the host of this job has no files' }),
  writeFile: () => ({ reason: 'the host of this job writes no files' }),
}
