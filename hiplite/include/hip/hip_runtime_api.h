// SPDX-License-Identifier: MIT
//
// hiplite: the part of the HIP runtime API that storage programs use.
//
// Names, values and layouts are those of HIP 6 and 7 on x86-64 Linux, so that a program compiles
// unchanged against these headers or ROCm's, and runs on either library. Only what is declared here
// exists. README.md tells where the devices of hiplite are stricter than, or differ from, real
// ones.
//
// Unless a function says otherwise:
//  - it returns hipSuccess or an error, and remembers the error for hipGetLastError in that thread;
//  - it may be called from any thread at any time, but not from inside a host function or stream
//    callback, where it returns hipErrorIllegalState;
//  - a NULL stream is the legacy default stream of the calling thread's current device.
#ifndef HIP_RUNTIME_API_H
#define HIP_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hip/hip_version.h>

#ifdef __cplusplus
#define HIP_DEFAULT(x) = x
#else
#define HIP_DEFAULT(x)
#endif

#if defined(__cplusplus) && __cplusplus >= 201703L
#define HIP_NODISCARD [[nodiscard]]
#else
#define HIP_NODISCARD
#endif

// --- Errors -----------------------------------------------------------------------------------

typedef enum HIP_NODISCARD hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorMemoryAllocation = 2,
    hipErrorNotInitialized = 3,
    hipErrorInitializationError = 3,
    hipErrorDeinitialized = 4,
    hipErrorProfilerDisabled = 5,
    hipErrorProfilerNotInitialized = 6,
    hipErrorProfilerAlreadyStarted = 7,
    hipErrorProfilerAlreadyStopped = 8,
    hipErrorInvalidConfiguration = 9,
    hipErrorInvalidPitchValue = 12,
    hipErrorInvalidSymbol = 13,
    hipErrorInvalidDevicePointer = 17,
    hipErrorInvalidMemcpyDirection = 21,
    hipErrorInsufficientDriver = 35,
    hipErrorMissingConfiguration = 52,
    hipErrorPriorLaunchFailure = 53,
    hipErrorInvalidDeviceFunction = 98,
    hipErrorNoDevice = 100,
    hipErrorInvalidDevice = 101,
    hipErrorInvalidImage = 200,
    hipErrorInvalidContext = 201,
    hipErrorContextAlreadyCurrent = 202,
    hipErrorMapFailed = 205,
    hipErrorMapBufferObjectFailed = 205,
    hipErrorUnmapFailed = 206,
    hipErrorArrayIsMapped = 207,
    hipErrorAlreadyMapped = 208,
    hipErrorNoBinaryForGpu = 209,
    hipErrorAlreadyAcquired = 210,
    hipErrorNotMapped = 211,
    hipErrorNotMappedAsArray = 212,
    hipErrorNotMappedAsPointer = 213,
    hipErrorECCNotCorrectable = 214,
    hipErrorUnsupportedLimit = 215,
    hipErrorContextAlreadyInUse = 216,
    hipErrorPeerAccessUnsupported = 217,
    hipErrorInvalidKernelFile = 218,
    hipErrorInvalidGraphicsContext = 219,
    hipErrorInvalidSource = 300,
    hipErrorFileNotFound = 301,
    hipErrorSharedObjectSymbolNotFound = 302,
    hipErrorSharedObjectInitFailed = 303,
    hipErrorOperatingSystem = 304,
    hipErrorInvalidHandle = 400,
    hipErrorInvalidResourceHandle = 400,
    hipErrorIllegalState = 401,
    hipErrorNotFound = 500,
    hipErrorNotReady = 600,
    hipErrorIllegalAddress = 700,
    hipErrorLaunchOutOfResources = 701,
    hipErrorLaunchTimeOut = 702,
    hipErrorPeerAccessAlreadyEnabled = 704,
    hipErrorPeerAccessNotEnabled = 705,
    hipErrorSetOnActiveProcess = 708,
    hipErrorContextIsDestroyed = 709,
    hipErrorAssert = 710,
    hipErrorHostMemoryAlreadyRegistered = 712,
    hipErrorHostMemoryNotRegistered = 713,
    hipErrorLaunchFailure = 719,
    hipErrorCooperativeLaunchTooLarge = 720,
    hipErrorNotSupported = 801,
    hipErrorStreamCaptureUnsupported = 900,
    hipErrorStreamCaptureInvalidated = 901,
    hipErrorStreamCaptureMerge = 902,
    hipErrorStreamCaptureUnmatched = 903,
    hipErrorStreamCaptureUnjoined = 904,
    hipErrorStreamCaptureIsolation = 905,
    hipErrorStreamCaptureImplicit = 906,
    hipErrorCapturedEvent = 907,
    hipErrorStreamCaptureWrongThread = 908,
    hipErrorGraphExecUpdateFailure = 910,
    hipErrorInvalidChannelDescriptor = 911,
    hipErrorInvalidTexture = 912,
    hipErrorUnknown = 999,
    hipErrorRuntimeMemory = 1052,
    hipErrorRuntimeOther = 1053,
    hipErrorTbd = 1054
} hipError_t;

// --- Kinds, flags, attributes -----------------------------------------------------------------

typedef enum hipMemcpyKind {
    hipMemcpyHostToHost = 0,
    hipMemcpyHostToDevice = 1,
    hipMemcpyDeviceToHost = 2,
    hipMemcpyDeviceToDevice = 3,
    hipMemcpyDefault = 4,
    hipMemcpyDeviceToDeviceNoCU = 1024
} hipMemcpyKind;

typedef enum hipMemoryType {
    hipMemoryTypeUnregistered = 0,
    hipMemoryTypeHost = 1,
    hipMemoryTypeDevice = 2,
    hipMemoryTypeManaged = 3,
    hipMemoryTypeArray = 10,
    hipMemoryTypeUnified = 11
} hipMemoryType;

#define hipStreamDefault     0x00
#define hipStreamNonBlocking 0x01

#define hipEventDefault       0x0
#define hipEventBlockingSync  0x1
#define hipEventDisableTiming 0x2
#define hipEventInterprocess  0x4

#define hipHostMallocDefault       0x0
#define hipHostMallocPortable      0x1
#define hipHostMallocMapped        0x2
#define hipHostMallocWriteCombined 0x4
#define hipHostMallocNumaUser      0x20000000
#define hipHostMallocCoherent      0x40000000
#define hipHostMallocNonCoherent   0x80000000

#define hipHostAllocDefault       hipHostMallocDefault
#define hipHostAllocPortable      hipHostMallocPortable
#define hipHostAllocMapped        hipHostMallocMapped
#define hipHostAllocWriteCombined hipHostMallocWriteCombined

#define hipMemAttachGlobal 0x01
#define hipMemAttachHost   0x02
#define hipMemAttachSingle 0x04

#define hipDeviceMallocDefault     0x0
#define hipDeviceMallocFinegrained 0x1
#define hipMallocSignalMemory      0x2
#define hipDeviceMallocUncached    0x3
#define hipDeviceMallocContiguous  0x4

#define hipHostRegisterDefault  0x0
#define hipHostRegisterPortable 0x1
#define hipHostRegisterMapped   0x2
#define hipHostRegisterIoMemory 0x4
#define hipHostRegisterReadOnly 0x8

#define hipStreamWaitValueGte 0x0
#define hipStreamWaitValueEq  0x1
#define hipStreamWaitValueAnd 0x2
#define hipStreamWaitValueNor 0x3

#define hipCpuDeviceId     ((int)-1)
#define hipInvalidDeviceId ((int)-2)

#define HIP_GET_PROC_ADDRESS_DEFAULT                   0x0
#define HIP_GET_PROC_ADDRESS_LEGACY_STREAM             0x1
#define HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM 0x2

typedef enum hipDriverProcAddressQueryResult {
    HIP_GET_PROC_ADDRESS_SUCCESS = 0,
    HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
    HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} hipDriverProcAddressQueryResult;

typedef enum hipDeviceAttribute_t {
    hipDeviceAttributeAsyncEngineCount = 2,
    hipDeviceAttributeCanMapHostMemory = 3,
    hipDeviceAttributeClockRate = 5,
    hipDeviceAttributeConcurrentManagedAccess = 9,
    hipDeviceAttributeIntegrated = 16,
    hipDeviceAttributeComputeCapabilityMajor = 23,
    hipDeviceAttributeManagedMemory = 24,
    hipDeviceAttributeMaxThreadsPerBlock = 56,
    hipDeviceAttributeComputeCapabilityMinor = 61,
    hipDeviceAttributeMultiprocessorCount = 63,
    hipDeviceAttributePageableMemoryAccess = 65,
    hipDeviceAttributePciBusId = 67,
    hipDeviceAttributePciDeviceId = 68,
    hipDeviceAttributePciDomainID = 69,
    hipDeviceAttributeStreamPrioritiesSupported = 78,
    hipDeviceAttributeTotalGlobalMem = 84,
    hipDeviceAttributeUnifiedAddressing = 85,
    hipDeviceAttributeWarpSize = 87,
    hipDeviceAttributeMemoryPoolsSupported = 88,
    hipDeviceAttributeVirtualMemoryManagementSupported = 89,
    hipDeviceAttributeHostRegisterSupported = 90,
    hipDeviceAttributeCudaCompatibleEnd = 9999,
    hipDeviceAttributeAmdSpecificBegin = 10000,
    hipDeviceAttributeIsLargeBar = 10011,
    hipDeviceAttributeCanUseStreamWaitValue = 10013,
    hipDeviceAttributeFineGrainSupport = 10016
} hipDeviceAttribute_t;

// --- Handles and structures -------------------------------------------------------------------

typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct ihipMemGenericAllocationHandle *hipMemGenericAllocationHandle_t;
typedef int hipDevice_t;
typedef void *hipDeviceptr_t;

// Names that any function accepts where it accepts NULL: the legacy default stream, and a blocking
// stream that belongs to the calling thread.
#define hipStreamLegacy    ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)

typedef void (*hipHostFn_t)(void *userData);
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *userData);

typedef struct dim3 {
    uint32_t x;
    uint32_t y;
    uint32_t z;
#ifdef __cplusplus
    constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
#endif
} dim3;

typedef struct hipUUID_t {
    char bytes[16];
} hipUUID;

typedef struct hipPointerAttribute_t {
    enum hipMemoryType type;
    int device;
    void *devicePointer; // where the device sees the memory
    void *hostPointer;   // where the CPU sees it; NULL if it does not
    int isManaged;
    unsigned allocationFlags;
} hipPointerAttribute_t;

typedef struct hipDeviceArch_t {
    unsigned hasGlobalInt32Atomics : 1;
    unsigned hasGlobalFloatAtomicExch : 1;
    unsigned hasSharedInt32Atomics : 1;
    unsigned hasSharedFloatAtomicExch : 1;
    unsigned hasFloatAtomicAdd : 1;
    unsigned hasGlobalInt64Atomics : 1;
    unsigned hasSharedInt64Atomics : 1;
    unsigned hasDoubles : 1;
    unsigned hasWarpVote : 1;
    unsigned hasWarpBallot : 1;
    unsigned hasWarpShuffle : 1;
    unsigned hasFunnelShift : 1;
    unsigned hasThreadFenceSystem : 1;
    unsigned hasSyncThreadsExt : 1;
    unsigned hasSurfaceFuncs : 1;
    unsigned has3dGrid : 1;
    unsigned hasDynamicParallelism : 1;
} hipDeviceArch_t;

typedef struct hipDeviceProp_tR0600 {
    char name[256];
    hipUUID uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem; // bytes
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate; // kHz
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int deviceOverlap;
    int multiProcessorCount;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture1DLinear;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    int cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseHipArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingHipArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int reserved[63];
    int hipReserved[32];
    char gcnArchName[256];
    size_t maxSharedMemoryPerMultiProcessor;
    int clockInstructionRate;
    hipDeviceArch_t arch;
    unsigned *hdpMemFlushCntl;
    unsigned *hdpRegFlushCntl;
    int cooperativeMultiDeviceUnmatchedFunc;
    int cooperativeMultiDeviceUnmatchedGridDim;
    int cooperativeMultiDeviceUnmatchedBlockDim;
    int cooperativeMultiDeviceUnmatchedSharedMem;
    int isLargeBar;
    int asicRevision;
} hipDeviceProp_tR0600;

#define hipDeviceProp_t        hipDeviceProp_tR0600
#define hipGetDeviceProperties hipGetDevicePropertiesR0600

typedef enum hipStreamCaptureMode {
    hipStreamCaptureModeGlobal = 0,
    hipStreamCaptureModeThreadLocal = 1,
    hipStreamCaptureModeRelaxed = 2
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
    hipStreamCaptureStatusNone = 0,
    hipStreamCaptureStatusActive = 1,
    hipStreamCaptureStatusInvalidated = 2
} hipStreamCaptureStatus;

typedef enum hipMemAllocationType {
    hipMemAllocationTypeInvalid = 0,
    hipMemAllocationTypePinned = 1,
    hipMemAllocationTypeMax = 0x7fffffff
} hipMemAllocationType;

typedef enum hipMemAllocationHandleType {
    hipMemHandleTypeNone = 0,
    hipMemHandleTypePosixFileDescriptor = 1,
    hipMemHandleTypeWin32 = 2,
    hipMemHandleTypeWin32Kmt = 4
} hipMemAllocationHandleType;

typedef enum hipMemLocationType {
    hipMemLocationTypeInvalid = 0,
    hipMemLocationTypeDevice = 1
} hipMemLocationType;

typedef enum hipMemAccessFlags {
    hipMemAccessFlagsProtNone = 0,
    hipMemAccessFlagsProtRead = 1,
    hipMemAccessFlagsProtReadWrite = 3
} hipMemAccessFlags;

typedef enum hipMemAllocationGranularity_flags {
    hipMemAllocationGranularityMinimum = 0,
    hipMemAllocationGranularityRecommended = 1
} hipMemAllocationGranularity_flags;

typedef struct hipMemLocation {
    hipMemLocationType type;
    int id;
} hipMemLocation;

typedef struct hipMemAccessDesc {
    hipMemLocation location;
    hipMemAccessFlags flags;
} hipMemAccessDesc;

typedef struct hipMemAllocationProp {
    hipMemAllocationType type;
    union {
        hipMemAllocationHandleType requestedHandleType;
        hipMemAllocationHandleType requestedHandleTypes;
    };
    hipMemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
    } allocFlags;
} hipMemAllocationProp;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// --- Initialisation and devices ---------------------------------------------------------------

// flags must be 0. Other functions initialise by themselves.
hipError_t hipInit(unsigned int flags);
// Both report HIP_VERSION.
hipError_t hipDriverGetVersion(int *driverVersion);
hipError_t hipRuntimeGetVersion(int *runtimeVersion);

// hipErrorNoDevice, and *count = 0, when there is none.
hipError_t hipGetDeviceCount(int *count);
// The current device belongs to the thread; it starts as 0.
hipError_t hipGetDevice(int *deviceId);
hipError_t hipSetDevice(int deviceId);
// Waits for all work on all streams of the current device.
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
// hipErrorInvalidValue for an attribute that is not listed above.
hipError_t hipDeviceGetAttribute(int *pi, hipDeviceAttribute_t attr, int deviceId);
// "domain:bus:device.function"; len includes the terminating 0 and must be at least 13.
hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *prop, int deviceId);
hipError_t hipDeviceCanAccessPeer(int *canAccessPeer, int deviceId, int peerDeviceId);
// Least is numerically the greatest: 1 .. -1.
hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);

// hipVersion is not looked at; symbolStatus may be NULL. The only way to find hipAmdFileRead and
// hipAmdFileWrite. A name that does not exist is hipErrorInvalidValue with *symbolStatus set.
hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                             hipDriverProcAddressQueryResult *symbolStatus HIP_DEFAULT(NULL));

// --- Errors: these four do not change the thread's last error, except as told -----------------

const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);
// The last error of this thread, which a success does not overwrite; clears it.
hipError_t hipGetLastError(void);
// The same, not cleared.
hipError_t hipPeekAtLastError(void);
// What the last call in this thread returned, success included; clears it.
hipError_t hipExtGetLastError(void);

// --- Memory -----------------------------------------------------------------------------------

// Device memory; size 0 gives NULL and success. hipErrorOutOfMemory.
hipError_t hipMalloc(void **ptr, size_t size);
// Waits for all streams of the device. ptr may be NULL, and must be the start of an allocation.
hipError_t hipFree(void *ptr);
// flags: a hipDeviceMalloc* value, or hipMallocSignalMemory, whose size must be 8: memory that CPU
// and device may both touch and that hipStreamWaitValue* can wait on. Freed by hipFree.
hipError_t hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags);
// Memory that CPU and device may both touch; flags: hipMemAttachGlobal or hipMemAttachHost.
hipError_t hipMallocManaged(void **dev_ptr, size_t size,
                            unsigned int flags HIP_DEFAULT(hipMemAttachGlobal));
// Page-aligned pinned host memory. Freeing waits for all streams.
hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags);
hipError_t hipHostFree(void *ptr);
// Older names of the same.
hipError_t hipMallocHost(void **ptr, size_t size);
hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags);
hipError_t hipFreeHost(void *ptr);
// Pins memory of the caller. A range that overlaps pinned memory is
// hipErrorHostMemoryAlreadyRegistered. Unregistering waits for all streams.
hipError_t hipHostRegister(void *hostPtr, size_t sizeBytes, unsigned int flags);
hipError_t hipHostUnregister(void *hostPtr);
// flags must be 0.
hipError_t hipHostGetDevicePointer(void **devPtr, void *hstPtr, unsigned int flags);
hipError_t hipMemGetInfo(size_t *free, size_t *total);

// The allocation that contains dptr (device, managed, pinned); pbase or psize may be NULL, not
// both. hipErrorNotFound if there is none.
hipError_t hipMemGetAddressRange(hipDeviceptr_t *pbase, size_t *psize, hipDeviceptr_t dptr);
// A pointer that HIP does not know, memory freed included, is success and
// hipMemoryTypeUnregistered. NULL is hipErrorInvalidValue.
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);

// --- Copies -----------------------------------------------------------------------------------
// A range that leaves its allocation is hipErrorInvalidValue.

// In the order of the legacy default stream. Returns when the bytes have moved; from device to
// device it returns when the copy is queued.
hipError_t hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind);
// The same in the order of a given stream.
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                               hipStream_t stream);
// Pageable memory on either side makes this synchronous with the stream.
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                          hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t sizeBytes);
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t sizeBytes);
// In the order of the legacy default stream. Of device memory it returns when the work is queued:
// what does not go through a stream, such as a file transfer, must be ordered after it.
hipError_t hipMemset(void *dst, int value, size_t sizeBytes);
hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count);
hipError_t hipMemsetAsync(void *dst, int value, size_t sizeBytes,
                          hipStream_t stream HIP_DEFAULT(0));

// --- Streams ----------------------------------------------------------------------------------

hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
// A priority outside the range is clamped.
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);
// Returns at once; work that is queued still runs.
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
// hipErrorNotReady while work is pending; that is not remembered as an error.
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
// flags must be 0.
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned int flags HIP_DEFAULT(0));
// Runs fn(userData) in the order of the stream, on the one thread that serves all streams.
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData);
// The same, told the stream and its state; flags must be 0.
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData,
                                unsigned int flags);

// Holds the stream until the value at ptr, in signal memory, satisfies flags. With v = value at ptr
// & mask: Gte: v - value >= 0 as signed numbers; Eq: v == value; And: v & value; Nor: ~(v | value)
// under mask.
hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags,
                                uint32_t mask HIP_DEFAULT(0xffffffff));
hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
                                uint64_t mask HIP_DEFAULT(0xffffffffffffffff));
// Stores value at ptr, in any memory of the device's, with release order, when the stream comes to
// it. flags must be 0.
hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags);

// --- Events -----------------------------------------------------------------------------------

hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream HIP_DEFAULT(NULL));
// hipErrorNotReady while work before the record is pending; that is not remembered as an error.
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);
hipError_t hipEventDestroy(hipEvent_t event);

// --- Stream capture ---------------------------------------------------------------------------
// A captured graph records that there was work; it cannot be instantiated or launched.

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *pGraph);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);
hipError_t hipGraphDestroy(hipGraph_t graph);

// --- Virtual memory ---------------------------------------------------------------------------

hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop,
                                          hipMemAllocationGranularity_flags option);
hipError_t hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr,
                                unsigned long long flags);
hipError_t hipMemAddressFree(void *devPtr, size_t size);
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
                        const hipMemAllocationProp *prop, unsigned long long flags);
// The memory goes when the handle is released and nothing maps it.
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);
hipError_t hipMemMap(void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags);
hipError_t hipMemUnmap(void *ptr, size_t size);
// A mapping can be copied to and from once access is granted.
hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count);

// --- Contexts: one, the primary context of each device ----------------------------------------

hipError_t hipCtxCreate(hipCtx_t *ctx, unsigned int flags, hipDevice_t device);
hipError_t hipCtxDestroy(hipCtx_t ctx);
hipError_t hipCtxGetCurrent(hipCtx_t *ctx);
hipError_t hipCtxGetDevice(hipDevice_t *device);
hipError_t hipCtxPushCurrent(hipCtx_t ctx);
hipError_t hipCtxPopCurrent(hipCtx_t *ctx);
hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *pctx, hipDevice_t dev);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev);

#pragma GCC visibility pop
#ifdef __cplusplus
}

// Typed pointers without casts, as in ROCm's header.
template <class T> static inline hipError_t hipMalloc(T **ptr, size_t size)
{
    return hipMalloc(reinterpret_cast<void **>(ptr), size);
}

template <class T>
static inline hipError_t hipMallocManaged(T **ptr, size_t size,
                                          unsigned int flags = hipMemAttachGlobal)
{
    return hipMallocManaged(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T>
static inline hipError_t hipHostMalloc(T **ptr, size_t size,
                                       unsigned int flags = hipHostMallocDefault)
{
    return hipHostMalloc(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T> static inline hipError_t hipMallocHost(T **ptr, size_t size)
{
    return hipMallocHost(reinterpret_cast<void **>(ptr), size);
}

template <class T>
static inline hipError_t hipHostAlloc(T **ptr, size_t size,
                                      unsigned int flags = hipHostAllocDefault)
{
    return hipHostAlloc(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T>
static inline hipError_t hipExtMallocWithFlags(T **ptr, size_t size, unsigned int flags)
{
    return hipExtMallocWithFlags(reinterpret_cast<void **>(ptr), size, flags);
}
#endif

#endif
