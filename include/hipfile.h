// SPDX-License-Identifier: MIT
/*
 * hipFile: files to and from GPU memory.
 *
 * The interface of AMD hipFile 0.5.0, in names, values and layouts.
 */
#ifndef HIPFILE_H
#define HIPFILE_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define HIPFILE_API __attribute__((visibility("default")))
#else
#define HIPFILE_API
#endif

#if defined(__cplusplus) && __cplusplus >= 201703L
#define __HIPFILE_NODISCARD [[nodiscard]]
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L
#define __HIPFILE_NODISCARD [[nodiscard]]
#else
#define __HIPFILE_NODISCARD
#endif

#define HIPFILE_VERSION_MAJOR 0
#define HIPFILE_VERSION_MINOR 5
#define HIPFILE_VERSION_PATCH 0

/* Every hipFile code but success lies above this. */
#define HIPFILE_BASE_ERR 5000

/* True for the negative return of a read or write (or for a code) that is a hipFile code. */
#define IS_HIPFILE_ERR(e) (llabs((long long)(e)) > HIPFILE_BASE_ERR)

/* The text of such a value, of either sign. */
#define HIPFILE_ERRSTR(e) hipFileGetOpErrorString((hipFileOpError_t)llabs((long long)(e)))

/* For hipFileError_t: did HIP fail, and with what. */
#ifndef IS_HIP_DRV_ERR
#define IS_HIP_DRV_ERR(x) ((x).err == hipFileHipDriverError)
#endif
#ifndef HIP_DRV_ERR
#define HIP_DRV_ERR(x) ((x).hip_drv_err)
#endif

#define HIPFILE_RDMA_REGISTER         1
#define HIPFILE_RDMA_RELAXED_ORDERING (1 << 1)

#define HIPFILE_STREAM_FIXED_BUF_OFFSET    1
#define HIPFILE_STREAM_FIXED_FILE_OFFSET   (1 << 1)
#define HIPFILE_STREAM_FIXED_FILE_SIZE     (1 << 2)
#define HIPFILE_STREAM_PAGE_ALIGNED_INPUTS (1 << 3)
#define HIPFILE_STREAM_FLAGS_MASK          0xf

#define HIPFILE_MAX_GPUS     16
#define HIPFILE_GPU_UUID_LEN 16

typedef off_t hoff_t;
typedef void *hipFileHandle_t;
typedef void *hipFileBatchHandle_t;

typedef enum hipFileOpError {
    hipFileSuccess = 0,
    hipFileDriverNotInitialized = 5001,
    hipFileDriverInvalidProps = 5002,
    hipFileDriverUnsupportedLimit = 5003,
    hipFileDriverVersionMismatch = 5004,
    hipFileDriverVersionReadError = 5005,
    hipFileDriverClosing = 5006,
    hipFilePlatformNotSupported = 5007,
    hipFileIONotSupported = 5008,
    hipFileDeviceNotSupported = 5009,
    hipFileDriverError = 5010,
    hipFileHipDriverError = 5011,
    hipFileHipPointerInvalid = 5012,
    hipFileHipMemoryTypeInvalid = 5013,
    hipFileHipPointerRangeError = 5014,
    hipFileHipContextMismatch = 5015,
    hipFileInvalidMappingSize = 5016,
    hipFileInvalidMappingRange = 5017,
    hipFileInvalidFileType = 5018,
    hipFileInvalidFileOpenFlag = 5019,
    hipFileDIONotSet = 5020,
    hipFileInvalidValue = 5022,
    hipFileMemoryAlreadyRegistered = 5023,
    hipFileMemoryNotRegistered = 5024,
    hipFilePermissionDenied = 5025,
    hipFileDriverAlreadyOpen = 5026,
    hipFileHandleNotRegistered = 5027,
    hipFileHandleAlreadyRegistered = 5028,
    hipFileDeviceNotFound = 5029,
    hipFileInternalError = 5030,
    hipFileGetNewFDFailed = 5031,
    hipFileDriverSetupError = 5033,
    hipFileIODisabled = 5034,
    hipFileBatchSubmitFailed = 5035,
    hipFileGPUMemoryPinningFailed = 5036,
    hipFileBatchFull = 5037,
    hipFileAsyncNotSupported = 5038,
    hipFileIOMaxError = 5039
} hipFileOpError_t;

typedef struct __HIPFILE_NODISCARD hipFileError {
    hipFileOpError_t err;
    hipError_t hip_drv_err;
} hipFileError_t;

typedef enum hipFileDriverStatusFlags {
    hipFileLustreSupported = 0,
    hipFileWekaFSSupported = 1,
    hipFileNFSSupported = 2,
    hipFileGPFSSupported = 3,
    hipFileNVMeSupported = 4,
    hipFileNVMeoFSupported = 5,
    hipFileSCSISupported = 6,
    hipFileScaleFluxCSDSupported = 7,
    hipFileNVMeshSupported = 8,
    hipFileBeeGFSSupported = 9,
    hipFileNVMeP2PSupported = 11,
    hipFileScatefsSupported = 12
} hipFileDriverStatusFlags_t;

typedef enum hipFileDriverControlFlags {
    hipFileUsePollMode = 0,
    hipFileAllowCompatMode = 1
} hipFileDriverControlFlags_t;

typedef enum hipFileFeatureFlags {
    hipFileDynRoutingSupported = 0,
    hipFileBatchIOSupported = 1,
    hipFileStreamsSupported = 2,
    hipFileParallelIOSupported = 3
} hipFileFeatureFlags_t;

typedef struct hipFileDriverProps {
    struct {
        unsigned int major_version;
        unsigned int minor_version;
        uint64_t poll_thresh_size;
        uint64_t max_direct_io_size;
        unsigned int driver_status_flags;
        unsigned int driver_control_flags;
    } nvfs;
    unsigned int feature_flags;
    uint64_t max_device_cache_size;
    uint64_t per_buffer_cache_size;
    uint64_t max_device_pinned_mem_size;
    unsigned int max_batch_io_count;
    unsigned int max_batch_io_timeout_msecs;
} hipFileDriverProps_t;

typedef struct hipFileRDMAInfo {
    int version;
    int desc_len;
    const char *desc_str;
} hipFileRDMAInfo_t;

typedef struct hipFileFSOps {
    const char *(*fs_type)(void *handle);
    int (*getRDMADeviceList)(void *handle, struct sockaddr **hostaddrs);
    int (*getRDMADevicePriority)(void *handle, char *, size_t, hoff_t, struct sockaddr *hostaddr);
    ssize_t (*read)(void *handle, char *, size_t, hoff_t, hipFileRDMAInfo_t *);
    ssize_t (*write)(void *handle, const char *, size_t, hoff_t, hipFileRDMAInfo_t *);
} hipFileFSOps_t;

typedef enum hipFileFileHandleType {
    hipFileHandleTypeOpaqueFD = 1,
    hipFileHandleTypeOpaqueWin32 = 2,
    hipFileHandleTypeUserspaceFS = 3
} hipFileFileHandleType_t;

typedef struct hipFileDescr {
    hipFileFileHandleType_t type;
    union {
        int fd;
        void *hFile;
    } handle;
    const hipFileFSOps_t *fs_ops;
} hipFileDescr_t;

typedef enum hipFileOpcode { hipFileBatchRead = 0, hipFileBatchWrite = 1 } hipFileOpcode_t;

typedef enum hipFileStatus {
    hipFileWaiting = 1,
    hipFilePending = 1 << 1,
    hipFileInvalid = 1 << 2,
    hipFileCanceled = 1 << 3,
    hipFileComplete = 1 << 4,
    hipFileTimeout = 1 << 5,
    hipFileFailed = 1 << 6
} hipFileStatus_t;

typedef enum hipFileBatchMode { hipFileBatch = 1 } hipFileBatchMode_t;

typedef struct hipFileIOParams {
    hipFileBatchMode_t mode;
    union {
        struct {
            void *devPtr_base;
            int64_t file_offset;
            int64_t devPtr_offset;
            size_t size;
        } batch;
    } u;
    hipFileHandle_t fh;
    hipFileOpcode_t opcode;
    void *cookie;
} hipFileIOParams_t;

typedef struct hipFileIOEvents {
    void *cookie;
    hipFileStatus_t status;
    size_t ret;
} hipFileIOEvents_t;

typedef enum hipFileSizeTConfigParameter_t {
    hipFileParamProfileStats = 0,
    hipFileParamExecutionMaxIOQueueDepth = 1,
    hipFileParamExecutionMaxIOThreads = 2,
    hipFileParamExecutionMinIOThresholdSizeKB = 3,
    hipFileParamExecutionMaxRequestParallelism = 4,
    hipFileParamPropertiesMaxDirectIOSizeKB = 5,
    hipFileParamPropertiesMaxDeviceCacheSizeKB = 6,
    hipFileParamPropertiesPerBufferCacheSizeKB = 7,
    hipFileParamPropertiesMaxDevicePinnedMemSizeKB = 8,
    hipFileParamPropertiesIOBatchsize = 9,
    hipFileParamPollthresholdSizeKB = 10,
    hipFileParamPropertiesBatchIOTimeoutMs = 11
} hipFileSizeTConfigParameter_t;

typedef enum hipFileBoolConfigParameter_t {
    hipFileParamPropertiesUsePollMode = 0,
    hipFileParamPropertiesAllowCompatMode = 1,
    hipFileParamForceCompatMode = 2,
    hipFileParamFsMiscApiCheckAggressive = 3,
    hipFileParamExecutionParallelIO = 4,
    hipFileParamProfileNvtx = 5,
    hipFileParamPropertiesAllowSystemMemory = 6,
    hipFileParamUsePcip2pdma = 7,
    hipFileParamPreferIOUring = 8,
    hipFileParamForceOdirectMode = 9,
    hipFileParamSkipTopologyDetection = 10,
    hipFileParamStreamMemopsBypass = 11
} hipFileBoolConfigParameter_t;

typedef enum hipFileStringConfigParameter_t {
    hipFileParamLoggingLevel = 0,
    hipFileParamEnvLogfilePath = 1,
    hipFileParamLogDir = 2
} hipFileStringConfigParameter_t;

typedef struct hipFileOpCounter {
    uint64_t ok;
    uint64_t err;
} hipFileOpCounter_t;

typedef struct hipFileStatsLevel1 {
    hipFileOpCounter_t read_ops;
    hipFileOpCounter_t write_ops;
    hipFileOpCounter_t hdl_register_ops;
    hipFileOpCounter_t hdl_deregister_ops;
    hipFileOpCounter_t buf_register_ops;
    hipFileOpCounter_t buf_deregister_ops;
    uint64_t read_bytes;
    uint64_t write_bytes;
    uint64_t read_bw_bytes_per_sec;
    uint64_t write_bw_bytes_per_sec;
    uint64_t read_lat_avg_us;
    uint64_t write_lat_avg_us;
    uint64_t read_ops_per_sec;
    uint64_t write_ops_per_sec;
    uint64_t read_lat_sum_us;
    uint64_t write_lat_sum_us;
    hipFileOpCounter_t batch_submit_ops;
    hipFileOpCounter_t batch_complete_ops;
    hipFileOpCounter_t batch_setup_ops;
    hipFileOpCounter_t batch_cancel_ops;
    hipFileOpCounter_t batch_destroy_ops;
    hipFileOpCounter_t batch_enqueued_ops;
    hipFileOpCounter_t batch_posix_enqueued_ops;
    hipFileOpCounter_t batch_processed_ops;
    hipFileOpCounter_t batch_posix_processed_ops;
    hipFileOpCounter_t batch_nvfs_submit_ops;
    hipFileOpCounter_t batch_p2p_submit_ops;
    hipFileOpCounter_t batch_aio_submit_ops;
    hipFileOpCounter_t batch_iouring_submit_ops;
    hipFileOpCounter_t batch_mixed_io_submit_ops;
    hipFileOpCounter_t batch_total_submit_ops;
    uint64_t batch_read_bytes;
    uint64_t batch_write_bytes;
    uint64_t batch_read_bw_bytes;
    uint64_t batch_write_bw_bytes;
    uint64_t batch_submit_lat_avg_us;
    uint64_t batch_completion_lat_avg_us;
    uint64_t batch_submit_ops_per_sec;
    uint64_t batch_complete_ops_per_sec;
    uint64_t batch_submit_lat_sum_us;
    uint64_t batch_completion_lat_sum_us;
    uint64_t last_batch_read_bytes;
    uint64_t last_batch_write_bytes;
} hipFileStatsLevel1_t;

typedef struct hipFileStatsLevel2 {
    hipFileStatsLevel1_t basic;
    uint64_t read_size_kb_hist[32];
    uint64_t write_size_kb_hist[32];
} hipFileStatsLevel2_t;

typedef struct hipFilePerGpuStats {
    char uuid[HIPFILE_GPU_UUID_LEN];
    uint64_t read_bytes;
    uint64_t read_bw_bytes_per_sec;
    uint64_t read_utilization;
    uint64_t read_duration_us;
    uint64_t n_total_reads;
    uint64_t n_p2p_reads;
    uint64_t n_nvfs_reads;
    uint64_t n_posix_reads;
    uint64_t n_unaligned_reads;
    uint64_t n_dr_reads;
    uint64_t n_sparse_regions;
    uint64_t n_inline_regions;
    uint64_t n_reads_err;
    union {
        uint64_t writes_bytes;
        uint64_t write_bytes;
    };
    uint64_t write_bw_bytes_per_sec;
    uint64_t write_utilization;
    uint64_t write_duration_us;
    uint64_t n_total_writes;
    uint64_t n_p2p_writes;
    uint64_t n_nvfs_writes;
    uint64_t n_posix_writes;
    uint64_t n_unaligned_writes;
    uint64_t n_dr_writes;
    uint64_t n_writes_err;
    uint64_t n_mmap;
    uint64_t n_mmap_ok;
    uint64_t n_mmap_err;
    uint64_t n_mmap_free;
    uint64_t reg_bytes;
} hipFilePerGpuStats_t;

typedef struct hipFileStatsLevel3 {
    hipFileStatsLevel2_t detailed;
    uint32_t num_gpus;
    hipFilePerGpuStats_t per_gpu_stats[HIPFILE_MAX_GPUS];
} hipFileStatsLevel3_t;

HIPFILE_API const char *hipFileGetOpErrorString(hipFileOpError_t status);

HIPFILE_API hipFileError_t hipFileHandleRegister(hipFileHandle_t *fh, hipFileDescr_t *descr);
HIPFILE_API void hipFileHandleDeregister(hipFileHandle_t fh);

HIPFILE_API hipFileError_t hipFileBufRegister(const void *buffer_base, size_t length, int flags);
HIPFILE_API hipFileError_t hipFileBufDeregister(const void *buffer_base);

HIPFILE_API ssize_t hipFileRead(hipFileHandle_t fh, void *buffer_base, size_t size,
                                hoff_t file_offset, hoff_t buffer_offset);
HIPFILE_API ssize_t hipFileWrite(hipFileHandle_t fh, const void *buffer_base, size_t size,
                                 hoff_t file_offset, hoff_t buffer_offset);

HIPFILE_API hipFileError_t hipFileDriverOpen(void);
HIPFILE_API hipFileError_t hipFileDriverClose(void);
HIPFILE_API int64_t hipFileUseCount(void);

HIPFILE_API hipFileError_t hipFileDriverGetProperties(hipFileDriverProps_t *props);
HIPFILE_API hipFileError_t hipFileDriverSetPollMode(bool poll, size_t poll_threshold_size);
HIPFILE_API hipFileError_t hipFileDriverSetMaxDirectIOSize(size_t max_direct_io_size);
HIPFILE_API hipFileError_t hipFileDriverSetMaxCacheSize(size_t max_cache_size);
HIPFILE_API hipFileError_t hipFileDriverSetMaxPinnedMemSize(size_t max_pinned_size);

HIPFILE_API hipFileError_t hipFileBatchIOSetUp(hipFileBatchHandle_t *batch_idp, unsigned max_nr);
HIPFILE_API hipFileError_t hipFileBatchIOSubmit(hipFileBatchHandle_t batch_idp, unsigned nr,
                                                hipFileIOParams_t *iocbp, unsigned flags);
HIPFILE_API hipFileError_t hipFileBatchIOGetStatus(hipFileBatchHandle_t batch_idp, unsigned min_nr,
                                                   unsigned *nr, hipFileIOEvents_t *iocbp,
                                                   struct timespec *timeout);
HIPFILE_API hipFileError_t hipFileBatchIOCancel(hipFileBatchHandle_t batch_idp);
HIPFILE_API void hipFileBatchIODestroy(hipFileBatchHandle_t batch_idp);

HIPFILE_API hipFileError_t hipFileReadAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                            hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                            ssize_t *bytes_read_p, hipStream_t stream);
HIPFILE_API hipFileError_t hipFileWriteAsync(hipFileHandle_t fh, void *buffer_base, size_t *size_p,
                                             hoff_t *file_offset_p, hoff_t *buffer_offset_p,
                                             ssize_t *bytes_written_p, hipStream_t stream);
HIPFILE_API hipFileError_t hipFileStreamRegister(hipStream_t stream, unsigned flags);
HIPFILE_API hipFileError_t hipFileStreamDeregister(hipStream_t stream);

HIPFILE_API hipFileError_t hipFileGetVersion(unsigned *major, unsigned *minor, unsigned *patch);

HIPFILE_API hipFileError_t hipFileGetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t *value);
HIPFILE_API hipFileError_t hipFileGetParameterBool(hipFileBoolConfigParameter_t param, bool *value);
HIPFILE_API hipFileError_t hipFileGetParameterString(hipFileStringConfigParameter_t param,
                                                     char *desc_str, int len);
HIPFILE_API hipFileError_t hipFileSetParameterSizeT(hipFileSizeTConfigParameter_t param,
                                                    size_t value);
HIPFILE_API hipFileError_t hipFileSetParameterBool(hipFileBoolConfigParameter_t param, bool value);
HIPFILE_API hipFileError_t hipFileSetParameterString(hipFileStringConfigParameter_t param,
                                                     const char *desc_str);

HIPFILE_API hipFileError_t hipFileGetStatsL1(hipFileStatsLevel1_t *stats);
HIPFILE_API hipFileError_t hipFileGetStatsL2(hipFileStatsLevel2_t *stats);
HIPFILE_API hipFileError_t hipFileGetStatsL3(hipFileStatsLevel3_t *stats);

#undef __HIPFILE_NODISCARD

#ifdef __cplusplus
}
#endif

#endif
