.lossless 1
.chunk "RDEF" resource-definition
{
  "majorVersion": 5,
  "minorVersion": 0,
  "programType": 17235,
  "flags": 256,
  "creator": "Heddle, from assembly text",
  "bindings": [
    { "name": "picture", "kind": 4, "returnType": 5, "dimension": 4, "sampleCount": 4294967295, "bindPoint": 0, "bindCount": 1, "flags": 12 },
    { "name": "Params", "kind": 0, "returnType": 0, "dimension": 0, "sampleCount": 0, "bindPoint": 0, "bindCount": 1, "flags": 1 }
  ],
  "buffers": [
    {
      "name": "Params",
      "variables": [
        { "name": "extent", "byteOffset": 0, "byteLength": 8, "flags": 2, "type": 0 },
        { "name": "maxIter", "byteOffset": 8, "byteLength": 4, "flags": 2, "type": 1 },
        { "name": "pad", "byteOffset": 12, "byteLength": 4, "flags": 0, "type": 1 },
        { "name": "origin", "byteOffset": 16, "byteLength": 8, "flags": 2, "type": 2 },
        { "name": "step", "byteOffset": 24, "byteLength": 8, "flags": 2, "type": 2 }
      ],
      "byteLength": 32,
      "flags": 0,
      "kind": 0
    }
  ],
  "types": [
    { "name": "uint2", "class": 1, "base": 19, "rows": 1, "columns": 2, "elements": 0, "members": [] },
    { "name": "dword", "class": 0, "base": 19, "rows": 1, "columns": 1, "elements": 0, "members": [] },
    { "name": "float2", "class": 1, "base": 3, "rows": 1, "columns": 2, "elements": 0, "members": [] }
  ],
  "extension": { "tag": "RD11", "interfaceSlotCount": 0 }
}
.end
.chunk "ISGN" signature
{ "elements": [] }
.end
.chunk "OSGN" signature
{ "elements": [] }
.end
.chunk "SHEX" code
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[2], immediateIndexed
dcl_uav_typed_texture2d (float,float,float,float) u0
dcl_input vThreadID.xy
dcl_temps 3
dcl_thread_group 8, 8, 1
uge r0.xy, vThreadID.xyxx, cb0[0].xyxx
or r0.x, r0.y, r0.x
if_nz r0.x
  ret 
endif 
utof r0.xy, vThreadID.xyxx
mad r0.xy, r0.xyxx, cb0[1].zwzz, cb0[1].xyxx
mov r0.zw, l(0,0,0,0)
mov r1.x, l(0)
loop 
  uge r1.y, r1.x, cb0[0].z
  breakc_nz r1.y
  mul r1.yz, r0.zzwz, r0.zzwz
  add r1.w, r1.z, r1.y
  lt r1.w, l(4.0), r1.w
  if_nz r1.w
    break 
  endif 
  add r1.y, r1.y, -r1.z
  add r2.x, r0.x, r1.y
  dp2 r1.y, r0.wwww, r0.zzzz
  add r2.y, r0.y, r1.y
  iadd r1.x, r1.x, l(1)
  mov r0.zw, r2.xxxy
endloop 
uge r1.y, r1.x, cb0[0].z
if_nz r1.y
  store_uav_typed u0.xyzw, vThreadID.xyyy, l(0.02,0.01,0.05,1.0)
else 
  utof r1.x, r1.x
  mad r2.xyz, r1.xxxx, l(0.14, 0.11, 0.08, 0.0), l(3.3, 4.0, 4.7, 0.0)
  sincos r2.xyz, null, r2.xyzx
  mad_sat r2.xyz, r2.xyzx, l(0.45, 0.42, 0.48, 0.0), l(0.5, 0.45, 0.55, 0.0)
  mov r2.w, l(1.0)
  store_uav_typed u0.xyzw, vThreadID.xyyy, r2.xyzw
endif 
ret 
.end
.chunk "STAT" statistics
{
  "counts": {
    "instructions": 37,
    "temps": 3,
    "defs": 0,
    "dcls": 1,
    "floatInstructions": 11,
    "intInstructions": 1,
    "uintInstructions": 4,
    "staticFlowControl": 4,
    "dynamicFlowControl": 4,
    "macroInstructions": 0,
    "tempArrays": 0,
    "arrayInstructions": 0,
    "cutInstructions": 0,
    "emitInstructions": 0,
    "textureNormalInstructions": 0,
    "textureLoadInstructions": 0,
    "textureCompareInstructions": 0,
    "textureBiasInstructions": 0,
    "textureGradientInstructions": 0,
    "movInstructions": 4,
    "movcInstructions": 0,
    "conversionInstructions": 2,
    "bitwiseInstructions": 0,
    "inputPrimitive": 0,
    "outputTopology": 0,
    "maxOutputVertexCount": 0,
    "textureGatherInstructions": 0,
    "textureLodInstructions": 0,
    "sampleFrequency": 0,
    "gsInstanceCount": 0,
    "controlPoints": 0,
    "hsOutputPrimitive": 0,
    "hsPartitioning": 0,
    "tessellatorDomain": 0,
    "barrierInstructions": 0,
    "interlockedInstructions": 0,
    "textureStoreInstructions": 2
  },
  "dwordCount": 37
}
.end
