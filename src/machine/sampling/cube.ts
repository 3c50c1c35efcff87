/**
 * TextureCube coordinates (functional spec 5.3.8, 7.18.7, 7.18.12). Faces in order: +X, -X, +Y, -Y, +Z, -Z.
 * On every face, u runs right and v runs down, seen from inside.
 */
const fround = Math.fround

/** A direction as face and position: u and v are signed (-1 to 1 on the face), not yet divided by `major`. */
export interface FacePosition {
  face: number
  u: number
  v: number
  /** Magnitude of the major component; 0 only for the zero vector. */
  major: number
}

/** The component of a vector that is u of a face, with its sign. */
function faceU(face: number, x: number, z: number): number {
  if (face === 0) return -z
  if (face === 1) return z
  return face === 5 ? -x : x
}
/** The component of a vector that is v of a face, with its sign. */
function faceV(face: number, y: number, z: number): number {
  if (face === 2) return z
  if (face === 3) return -z
  return -y
}
/** The component along a face's outward axis. */
function faceMajor(face: number, x: number, y: number, z: number): number {
  const axis = face >> 1
  const value = axis === 0 ? x : axis === 1 ? y : z
  return (face & 1) === 1 ? -value : value
}

/** The face that a direction meets; ties go to Z, then Y, then X. NaN loses every comparison. */
export function selectFace(x: number, y: number, z: number): number {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)]
  if (az >= ax && az >= ay) return z < 0 ? 5 : 4
  if (ay >= ax) return y < 0 ? 3 : 2
  return x < 0 ? 1 : 0
}

/** Projects any vector (a direction, or a derivative) onto the axes of a face. */
export function onFace(face: number, x: number, y: number, z: number, out: FacePosition): void {
  out.face = face
  out.u = faceU(face, x, z)
  out.v = faceV(face, y, z)
  out.major = faceMajor(face, x, y, z)
}

/** A face coordinate to texture space: c / major * 0.5 + 0.5, each step in float32. */
export function faceToTexture(c: number, major: number): number {
  return fround(fround(fround(c / major) * 0.5) + 0.5)
}

export interface FaceTexel {
  face: number
  x: number
  y: number
}

/** A vector of integers with the given face components; the inverse of onFace for integer u, v, major. */
function vectorOf(face: number, u: number, v: number, major: number): [number, number, number] {
  const m = (face & 1) === 1 ? -major : major
  switch (face >> 1) {
    case 0:
      return [m, -v, face === 0 ? -u : u]
    case 1:
      return [u, m, face === 2 ? v : -v]
    default:
      return [face === 5 ? -u : u, -v, m]
  }
}

/**
 * The texel one step over one edge of a face, on the neighboring face. Texel centers have the odd-integer coordinates
 * 2t + 1 - size with the face at distance `size`; over the edge, the coordinate that left (size + 1) becomes the new
 * distance, and the old distance becomes the row next to the edge (size - 1).
 */
export function acrossEdge(face: number, x: number, y: number, size: number, out: FaceTexel): void {
  const overU = x < 0 || x >= size
  const u = overU ? (x < 0 ? -size : size) : 2 * x + 1 - size
  const v = overU ? 2 * y + 1 - size : y < 0 ? -size : size
  const [vx, vy, vz] = vectorOf(face, u, v, size - 1)
  // Only the component that left has magnitude `size` now, so it decides the face.
  const next = selectFace(vx, vy, vz)
  out.face = next
  out.x = (faceU(next, vx, vz) + size - 1) / 2
  out.y = (faceV(next, vy, vz) + size - 1) / 2
}
