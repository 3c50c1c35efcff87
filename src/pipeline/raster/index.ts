/**
 * From primitives to quads of pixels (functional specification 3.4, 3.5, 15, 16): clipping, the viewport, exact coverage and
 * interpolation.
 *
 * Invariants: positions are snapped to 1/256 pixel once, and facing, coverage and interpolation use the snapped ones;
 * coverage is decided in whole numbers; depth is computed in double precision and rounded once, and so are attributes but in draws
 * that ask for less. It runs no shader and accesses no target.
 */
export { CONSTANT, NOPERSPECTIVE, PERSPECTIVE, VertexWords } from './clip.ts'
export { coverTriangleConservatively } from './cover-conservatively.ts'
export { coverLine } from './cover-line.ts'
export { coverPoint } from './cover-point.ts'
export {
  type CoveredQuad,
  coverWords,
  farthestSample,
  isSmall,
  JOB,
  JOB_WORDS,
  LONG_ROW,
  MAX_SMALL_PIXELS,
  touchedQuads,
} from './cover-program.ts'
export { coverTriangle, isTopLeft, setPixelBox } from './cover-triangle.ts'
export { type AlphaQuadSink, coverAlphaLine, coverQuadrilateralLine, type LineEnds } from './cover-wide-line.ts'
export { type DepthBiasUnit, NO_DEPTH_BUFFER } from './depth-bias.ts'
export { HALF_PIXEL, SUBPIXELS, snap } from './fixed-point.ts'
export {
  centerOf,
  fillAttribute,
  fillDepth,
  fillExactWeights,
  fillLinear,
  fillW,
  fillWeights,
  modeOf,
  newPlaces,
  type Places,
  type RegisterWords,
  registerWords,
} from './interpolate.ts'
export {
  attributeWord,
  centerWord,
  constantWord,
  depthAtOffset,
  type FastPlaceWords,
  fastConstantWord,
  fastLinearWord,
  fastPerspectiveWord,
  fastPlaceWords,
  fastWWord,
  heldPlanes,
  inverseWWords,
  linearWords,
  loadDepthPlane,
  loadPlanes,
  type OffsetDepth,
  offsetDepth,
  type PlaceWords,
  pixelPlaneWords,
  placeDepth,
  placeOfPlane,
  placeWords,
  type RowWords,
  sampleDepths,
  thinDepthWord,
  thinSampleDepths,
  wWords,
} from './interpolate-words.ts'
export {
  changeDown,
  changeDownWords,
  changeRight,
  changeRightWords,
  factorWords,
  inverseWords,
  isThinTriangle,
  newFactors,
  type PlaneWords,
  planeWords,
  setFactors,
} from './planes.ts'
export {
  intersect,
  isEmpty,
  newRefilledPrimitive,
  type PixelRect,
  type QuadSink,
  type RunSink,
  type ScreenPrimitive,
} from './primitive.ts'
export {
  nextRecord,
  RECORD,
  RECORD_FRONT_FACING,
  RECORD_KINDS,
  RECORD_PLAIN,
  RECORD_THIN,
  RECORD_WORDS,
  type RecordRing,
  type RecordSink,
  type TriangleSource,
  type VertexSource,
} from './primitive-record.ts'
export {
  PLANE_WORD,
  PRIMITIVE_KIND,
  PrimitiveTable,
  planeWord,
  ROW_WORD,
  rowLength,
  sameBit,
  type TableAttribute,
} from './primitive-table.ts'
export { storeRow } from './row-program.ts'
export { LISTED, LISTED_CLIPPED, listedWords, MOST_SHARES, type RowShares } from './row-shares.ts'
export { allSamples, isSampleCount, type SampleCount, sampleOffsets } from './sample-patterns.ts'
export { isOfFloats, placeVertices, type ScreenProgramState } from './screen-program.ts'
export { KNOWN, SCREEN, SCREEN_WORDS } from './screen-vertices.ts'
export {
  arePlainInputs,
  type ClipCounts,
  type CurrentPrimitive,
  PrimitiveSetup,
  type PrimitiveSink,
  type SetUpPrimitive,
  type SetupState,
} from './setup.ts'
export { setUpTriangles, type TriangleSetupState } from './setup-program.ts'
