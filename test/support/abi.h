// SPDX-License-Identifier: MIT
/*
 * The binary interface of AMD hipFile 0.5.0 on x86-64: every value, size, offset and prototype.
 *
 * Included by abi.c and abi.cpp. A line that does not hold stops the compiler. The numbers are
 * AMD's, not read off our header; they never change while the library is called libhipfile.so.0.
 */
#ifndef TEST_ABI_H
#define TEST_ABI_H

#include <hipfile.h>
#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>
#define ABI_ASSERT(condition, text) static_assert(condition, text)
#define ABI_SAME(name, pointer)     std::is_same<decltype(&name), pointer>::value
#else
#define ABI_ASSERT(condition, text) _Static_assert(condition, text)
#define ABI_SAME(name, pointer)     _Generic(&name, pointer : 1, default : 0)
#endif

#define ABI_VALUE(name, value) ABI_ASSERT((name) == (value), #name)
#define ABI_SIZE(type, size)   ABI_ASSERT(sizeof(type) == (size), #type)
#define ABI_FIELD(type, field, offset, size)                                                       \
    ABI_ASSERT(offsetof(type, field) == (offset) && sizeof(((type *)0)->field) == (size),          \
               #type "." #field)
#define ABI_FUNCTION(result, name, parameters)                                                     \
    ABI_ASSERT(ABI_SAME(name, result(*) parameters), #name)

ABI_SIZE(hipFileOpError_t, 4);
ABI_VALUE(hipFileSuccess, 0);
ABI_VALUE(hipFileDriverNotInitialized, 5001);
ABI_VALUE(hipFileDriverInvalidProps, 5002);
ABI_VALUE(hipFileDriverUnsupportedLimit, 5003);
ABI_VALUE(hipFileDriverVersionMismatch, 5004);
ABI_VALUE(hipFileDriverVersionReadError, 5005);
ABI_VALUE(hipFileDriverClosing, 5006);
ABI_VALUE(hipFilePlatformNotSupported, 5007);
ABI_VALUE(hipFileIONotSupported, 5008);
ABI_VALUE(hipFileDeviceNotSupported, 5009);
ABI_VALUE(hipFileDriverError, 5010);
ABI_VALUE(hipFileHipDriverError, 5011);
ABI_VALUE(hipFileHipPointerInvalid, 5012);
ABI_VALUE(hipFileHipMemoryTypeInvalid, 5013);
ABI_VALUE(hipFileHipPointerRangeError, 5014);
ABI_VALUE(hipFileHipContextMismatch, 5015);
ABI_VALUE(hipFileInvalidMappingSize, 5016);
ABI_VALUE(hipFileInvalidMappingRange, 5017);
ABI_VALUE(hipFileInvalidFileType, 5018);
ABI_VALUE(hipFileInvalidFileOpenFlag, 5019);
ABI_VALUE(hipFileDIONotSet, 5020);
ABI_VALUE(hipFileInvalidValue, 5022);
ABI_VALUE(hipFileMemoryAlreadyRegistered, 5023);
ABI_VALUE(hipFileMemoryNotRegistered, 5024);
ABI_VALUE(hipFilePermissionDenied, 5025);
ABI_VALUE(hipFileDriverAlreadyOpen, 5026);
ABI_VALUE(hipFileHandleNotRegistered, 5027);
ABI_VALUE(hipFileHandleAlreadyRegistered, 5028);
ABI_VALUE(hipFileDeviceNotFound, 5029);
ABI_VALUE(hipFileInternalError, 5030);
ABI_VALUE(hipFileGetNewFDFailed, 5031);
ABI_VALUE(hipFileDriverSetupError, 5033);
ABI_VALUE(hipFileIODisabled, 5034);
ABI_VALUE(hipFileBatchSubmitFailed, 5035);
ABI_VALUE(hipFileGPUMemoryPinningFailed, 5036);
ABI_VALUE(hipFileBatchFull, 5037);
ABI_VALUE(hipFileAsyncNotSupported, 5038);
ABI_VALUE(hipFileIOMaxError, 5039);

ABI_SIZE(hipFileDriverStatusFlags_t, 4);
ABI_VALUE(hipFileLustreSupported, 0);
ABI_VALUE(hipFileWekaFSSupported, 1);
ABI_VALUE(hipFileNFSSupported, 2);
ABI_VALUE(hipFileGPFSSupported, 3);
ABI_VALUE(hipFileNVMeSupported, 4);
ABI_VALUE(hipFileNVMeoFSupported, 5);
ABI_VALUE(hipFileSCSISupported, 6);
ABI_VALUE(hipFileScaleFluxCSDSupported, 7);
ABI_VALUE(hipFileNVMeshSupported, 8);
ABI_VALUE(hipFileBeeGFSSupported, 9);
ABI_VALUE(hipFileNVMeP2PSupported, 11);
ABI_VALUE(hipFileScatefsSupported, 12);

ABI_SIZE(hipFileDriverControlFlags_t, 4);
ABI_VALUE(hipFileUsePollMode, 0);
ABI_VALUE(hipFileAllowCompatMode, 1);

ABI_SIZE(hipFileFeatureFlags_t, 4);
ABI_VALUE(hipFileDynRoutingSupported, 0);
ABI_VALUE(hipFileBatchIOSupported, 1);
ABI_VALUE(hipFileStreamsSupported, 2);
ABI_VALUE(hipFileParallelIOSupported, 3);

ABI_SIZE(hipFileFileHandleType_t, 4);
ABI_VALUE(hipFileHandleTypeOpaqueFD, 1);
ABI_VALUE(hipFileHandleTypeOpaqueWin32, 2);
ABI_VALUE(hipFileHandleTypeUserspaceFS, 3);

ABI_SIZE(hipFileOpcode_t, 4);
ABI_VALUE(hipFileBatchRead, 0);
ABI_VALUE(hipFileBatchWrite, 1);

ABI_SIZE(hipFileStatus_t, 4);
ABI_VALUE(hipFileWaiting, 1);
ABI_VALUE(hipFilePending, 2);
ABI_VALUE(hipFileInvalid, 4);
ABI_VALUE(hipFileCanceled, 8);
ABI_VALUE(hipFileComplete, 16);
ABI_VALUE(hipFileTimeout, 32);
ABI_VALUE(hipFileFailed, 64);

ABI_SIZE(hipFileBatchMode_t, 4);
ABI_VALUE(hipFileBatch, 1);

ABI_SIZE(hipFileSizeTConfigParameter_t, 4);
ABI_VALUE(hipFileParamProfileStats, 0);
ABI_VALUE(hipFileParamExecutionMaxIOQueueDepth, 1);
ABI_VALUE(hipFileParamExecutionMaxIOThreads, 2);
ABI_VALUE(hipFileParamExecutionMinIOThresholdSizeKB, 3);
ABI_VALUE(hipFileParamExecutionMaxRequestParallelism, 4);
ABI_VALUE(hipFileParamPropertiesMaxDirectIOSizeKB, 5);
ABI_VALUE(hipFileParamPropertiesMaxDeviceCacheSizeKB, 6);
ABI_VALUE(hipFileParamPropertiesPerBufferCacheSizeKB, 7);
ABI_VALUE(hipFileParamPropertiesMaxDevicePinnedMemSizeKB, 8);
ABI_VALUE(hipFileParamPropertiesIOBatchsize, 9);
ABI_VALUE(hipFileParamPollthresholdSizeKB, 10);
ABI_VALUE(hipFileParamPropertiesBatchIOTimeoutMs, 11);

ABI_SIZE(hipFileBoolConfigParameter_t, 4);
ABI_VALUE(hipFileParamPropertiesUsePollMode, 0);
ABI_VALUE(hipFileParamPropertiesAllowCompatMode, 1);
ABI_VALUE(hipFileParamForceCompatMode, 2);
ABI_VALUE(hipFileParamFsMiscApiCheckAggressive, 3);
ABI_VALUE(hipFileParamExecutionParallelIO, 4);
ABI_VALUE(hipFileParamProfileNvtx, 5);
ABI_VALUE(hipFileParamPropertiesAllowSystemMemory, 6);
ABI_VALUE(hipFileParamUsePcip2pdma, 7);
ABI_VALUE(hipFileParamPreferIOUring, 8);
ABI_VALUE(hipFileParamForceOdirectMode, 9);
ABI_VALUE(hipFileParamSkipTopologyDetection, 10);
ABI_VALUE(hipFileParamStreamMemopsBypass, 11);

ABI_SIZE(hipFileStringConfigParameter_t, 4);
ABI_VALUE(hipFileParamLoggingLevel, 0);
ABI_VALUE(hipFileParamEnvLogfilePath, 1);
ABI_VALUE(hipFileParamLogDir, 2);

ABI_VALUE(HIPFILE_VERSION_MAJOR, 0);
ABI_VALUE(HIPFILE_VERSION_MINOR, 5);
ABI_VALUE(HIPFILE_VERSION_PATCH, 0);
ABI_VALUE(HIPFILE_BASE_ERR, 5000);
ABI_VALUE(HIPFILE_RDMA_REGISTER, 1);
ABI_VALUE(HIPFILE_RDMA_RELAXED_ORDERING, 2);
ABI_VALUE(HIPFILE_STREAM_FIXED_BUF_OFFSET, 1);
ABI_VALUE(HIPFILE_STREAM_FIXED_FILE_OFFSET, 2);
ABI_VALUE(HIPFILE_STREAM_FIXED_FILE_SIZE, 4);
ABI_VALUE(HIPFILE_STREAM_PAGE_ALIGNED_INPUTS, 8);
ABI_VALUE(HIPFILE_STREAM_FLAGS_MASK, 15);
ABI_VALUE(HIPFILE_MAX_GPUS, 16);
ABI_VALUE(HIPFILE_GPU_UUID_LEN, 16);

ABI_SIZE(hipFileHandle_t, 8);
ABI_SIZE(hipFileBatchHandle_t, 8);
ABI_SIZE(hoff_t, 8);

ABI_SIZE(hipFileError_t, 8);
ABI_FIELD(hipFileError_t, err, 0, 4);
ABI_FIELD(hipFileError_t, hip_drv_err, 4, 4);

ABI_SIZE(hipFileDriverProps_t, 72);
ABI_FIELD(hipFileDriverProps_t, nvfs, 0, 32);
ABI_FIELD(hipFileDriverProps_t, nvfs.major_version, 0, 4);
ABI_FIELD(hipFileDriverProps_t, nvfs.minor_version, 4, 4);
ABI_FIELD(hipFileDriverProps_t, nvfs.poll_thresh_size, 8, 8);
ABI_FIELD(hipFileDriverProps_t, nvfs.max_direct_io_size, 16, 8);
ABI_FIELD(hipFileDriverProps_t, nvfs.driver_status_flags, 24, 4);
ABI_FIELD(hipFileDriverProps_t, nvfs.driver_control_flags, 28, 4);
ABI_FIELD(hipFileDriverProps_t, feature_flags, 32, 4);
ABI_FIELD(hipFileDriverProps_t, max_device_cache_size, 40, 8);
ABI_FIELD(hipFileDriverProps_t, per_buffer_cache_size, 48, 8);
ABI_FIELD(hipFileDriverProps_t, max_device_pinned_mem_size, 56, 8);
ABI_FIELD(hipFileDriverProps_t, max_batch_io_count, 64, 4);
ABI_FIELD(hipFileDriverProps_t, max_batch_io_timeout_msecs, 68, 4);

ABI_SIZE(hipFileRDMAInfo_t, 16);
ABI_FIELD(hipFileRDMAInfo_t, version, 0, 4);
ABI_FIELD(hipFileRDMAInfo_t, desc_len, 4, 4);
ABI_FIELD(hipFileRDMAInfo_t, desc_str, 8, 8);

ABI_SIZE(hipFileFSOps_t, 40);
ABI_FIELD(hipFileFSOps_t, fs_type, 0, 8);
ABI_FIELD(hipFileFSOps_t, getRDMADeviceList, 8, 8);
ABI_FIELD(hipFileFSOps_t, getRDMADevicePriority, 16, 8);
ABI_FIELD(hipFileFSOps_t, read, 24, 8);
ABI_FIELD(hipFileFSOps_t, write, 32, 8);

ABI_SIZE(hipFileDescr_t, 24);
ABI_FIELD(hipFileDescr_t, type, 0, 4);
ABI_FIELD(hipFileDescr_t, handle, 8, 8);
ABI_FIELD(hipFileDescr_t, handle.fd, 8, 4);
ABI_FIELD(hipFileDescr_t, handle.hFile, 8, 8);
ABI_FIELD(hipFileDescr_t, fs_ops, 16, 8);

ABI_SIZE(hipFileIOParams_t, 64);
ABI_FIELD(hipFileIOParams_t, mode, 0, 4);
ABI_FIELD(hipFileIOParams_t, u, 8, 32);
ABI_FIELD(hipFileIOParams_t, u.batch, 8, 32);
ABI_FIELD(hipFileIOParams_t, u.batch.devPtr_base, 8, 8);
ABI_FIELD(hipFileIOParams_t, u.batch.file_offset, 16, 8);
ABI_FIELD(hipFileIOParams_t, u.batch.devPtr_offset, 24, 8);
ABI_FIELD(hipFileIOParams_t, u.batch.size, 32, 8);
ABI_FIELD(hipFileIOParams_t, fh, 40, 8);
ABI_FIELD(hipFileIOParams_t, opcode, 48, 4);
ABI_FIELD(hipFileIOParams_t, cookie, 56, 8);

ABI_SIZE(hipFileIOEvents_t, 24);
ABI_FIELD(hipFileIOEvents_t, cookie, 0, 8);
ABI_FIELD(hipFileIOEvents_t, status, 8, 4);
ABI_FIELD(hipFileIOEvents_t, ret, 16, 8);

ABI_SIZE(hipFileOpCounter_t, 16);
ABI_FIELD(hipFileOpCounter_t, ok, 0, 8);
ABI_FIELD(hipFileOpCounter_t, err, 8, 8);

ABI_SIZE(hipFileStatsLevel1_t, 512);
ABI_FIELD(hipFileStatsLevel1_t, read_ops, 0, 16);
ABI_FIELD(hipFileStatsLevel1_t, write_ops, 16, 16);
ABI_FIELD(hipFileStatsLevel1_t, hdl_register_ops, 32, 16);
ABI_FIELD(hipFileStatsLevel1_t, hdl_deregister_ops, 48, 16);
ABI_FIELD(hipFileStatsLevel1_t, buf_register_ops, 64, 16);
ABI_FIELD(hipFileStatsLevel1_t, buf_deregister_ops, 80, 16);
ABI_FIELD(hipFileStatsLevel1_t, read_bytes, 96, 8);
ABI_FIELD(hipFileStatsLevel1_t, write_bytes, 104, 8);
ABI_FIELD(hipFileStatsLevel1_t, read_bw_bytes_per_sec, 112, 8);
ABI_FIELD(hipFileStatsLevel1_t, write_bw_bytes_per_sec, 120, 8);
ABI_FIELD(hipFileStatsLevel1_t, read_lat_avg_us, 128, 8);
ABI_FIELD(hipFileStatsLevel1_t, write_lat_avg_us, 136, 8);
ABI_FIELD(hipFileStatsLevel1_t, read_ops_per_sec, 144, 8);
ABI_FIELD(hipFileStatsLevel1_t, write_ops_per_sec, 152, 8);
ABI_FIELD(hipFileStatsLevel1_t, read_lat_sum_us, 160, 8);
ABI_FIELD(hipFileStatsLevel1_t, write_lat_sum_us, 168, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_submit_ops, 176, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_complete_ops, 192, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_setup_ops, 208, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_cancel_ops, 224, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_destroy_ops, 240, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_enqueued_ops, 256, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_posix_enqueued_ops, 272, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_processed_ops, 288, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_posix_processed_ops, 304, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_nvfs_submit_ops, 320, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_p2p_submit_ops, 336, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_aio_submit_ops, 352, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_iouring_submit_ops, 368, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_mixed_io_submit_ops, 384, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_total_submit_ops, 400, 16);
ABI_FIELD(hipFileStatsLevel1_t, batch_read_bytes, 416, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_write_bytes, 424, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_read_bw_bytes, 432, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_write_bw_bytes, 440, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_submit_lat_avg_us, 448, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_completion_lat_avg_us, 456, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_submit_ops_per_sec, 464, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_complete_ops_per_sec, 472, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_submit_lat_sum_us, 480, 8);
ABI_FIELD(hipFileStatsLevel1_t, batch_completion_lat_sum_us, 488, 8);
ABI_FIELD(hipFileStatsLevel1_t, last_batch_read_bytes, 496, 8);
ABI_FIELD(hipFileStatsLevel1_t, last_batch_write_bytes, 504, 8);

ABI_SIZE(hipFileStatsLevel2_t, 1024);
ABI_FIELD(hipFileStatsLevel2_t, basic, 0, 512);
ABI_FIELD(hipFileStatsLevel2_t, read_size_kb_hist, 512, 256);
ABI_FIELD(hipFileStatsLevel2_t, write_size_kb_hist, 768, 256);

ABI_SIZE(hipFilePerGpuStats_t, 248);
ABI_FIELD(hipFilePerGpuStats_t, uuid, 0, 16);
ABI_FIELD(hipFilePerGpuStats_t, read_bytes, 16, 8);
ABI_FIELD(hipFilePerGpuStats_t, read_bw_bytes_per_sec, 24, 8);
ABI_FIELD(hipFilePerGpuStats_t, read_utilization, 32, 8);
ABI_FIELD(hipFilePerGpuStats_t, read_duration_us, 40, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_total_reads, 48, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_p2p_reads, 56, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_nvfs_reads, 64, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_posix_reads, 72, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_unaligned_reads, 80, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_dr_reads, 88, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_sparse_regions, 96, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_inline_regions, 104, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_reads_err, 112, 8);
ABI_FIELD(hipFilePerGpuStats_t, writes_bytes, 120, 8);
ABI_FIELD(hipFilePerGpuStats_t, write_bytes, 120, 8);
ABI_FIELD(hipFilePerGpuStats_t, write_bw_bytes_per_sec, 128, 8);
ABI_FIELD(hipFilePerGpuStats_t, write_utilization, 136, 8);
ABI_FIELD(hipFilePerGpuStats_t, write_duration_us, 144, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_total_writes, 152, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_p2p_writes, 160, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_nvfs_writes, 168, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_posix_writes, 176, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_unaligned_writes, 184, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_dr_writes, 192, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_writes_err, 200, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_mmap, 208, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_mmap_ok, 216, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_mmap_err, 224, 8);
ABI_FIELD(hipFilePerGpuStats_t, n_mmap_free, 232, 8);
ABI_FIELD(hipFilePerGpuStats_t, reg_bytes, 240, 8);

ABI_SIZE(hipFileStatsLevel3_t, 5000);
ABI_FIELD(hipFileStatsLevel3_t, detailed, 0, 1024);
ABI_FIELD(hipFileStatsLevel3_t, num_gpus, 1024, 4);
ABI_FIELD(hipFileStatsLevel3_t, per_gpu_stats, 1032, 3968);

ABI_FUNCTION(const char *, hipFileGetOpErrorString, (hipFileOpError_t));
ABI_FUNCTION(hipFileError_t, hipFileHandleRegister, (hipFileHandle_t *, hipFileDescr_t *));
ABI_FUNCTION(void, hipFileHandleDeregister, (hipFileHandle_t));
ABI_FUNCTION(hipFileError_t, hipFileBufRegister, (const void *, size_t, int));
ABI_FUNCTION(hipFileError_t, hipFileBufDeregister, (const void *));
ABI_FUNCTION(ssize_t, hipFileRead, (hipFileHandle_t, void *, size_t, hoff_t, hoff_t));
ABI_FUNCTION(ssize_t, hipFileWrite, (hipFileHandle_t, const void *, size_t, hoff_t, hoff_t));
ABI_FUNCTION(hipFileError_t, hipFileDriverOpen, (void));
ABI_FUNCTION(hipFileError_t, hipFileDriverClose, (void));
ABI_FUNCTION(int64_t, hipFileUseCount, (void));
ABI_FUNCTION(hipFileError_t, hipFileDriverGetProperties, (hipFileDriverProps_t *));
ABI_FUNCTION(hipFileError_t, hipFileDriverSetPollMode, (bool, size_t));
ABI_FUNCTION(hipFileError_t, hipFileDriverSetMaxDirectIOSize, (size_t));
ABI_FUNCTION(hipFileError_t, hipFileDriverSetMaxCacheSize, (size_t));
ABI_FUNCTION(hipFileError_t, hipFileDriverSetMaxPinnedMemSize, (size_t));
ABI_FUNCTION(hipFileError_t, hipFileBatchIOSetUp, (hipFileBatchHandle_t *, unsigned));
ABI_FUNCTION(hipFileError_t, hipFileBatchIOSubmit,
             (hipFileBatchHandle_t, unsigned, hipFileIOParams_t *, unsigned));
ABI_FUNCTION(hipFileError_t, hipFileBatchIOGetStatus,
             (hipFileBatchHandle_t, unsigned, unsigned *, hipFileIOEvents_t *, struct timespec *));
ABI_FUNCTION(hipFileError_t, hipFileBatchIOCancel, (hipFileBatchHandle_t));
ABI_FUNCTION(void, hipFileBatchIODestroy, (hipFileBatchHandle_t));
ABI_FUNCTION(hipFileError_t, hipFileReadAsync,
             (hipFileHandle_t, void *, size_t *, hoff_t *, hoff_t *, ssize_t *, hipStream_t));
ABI_FUNCTION(hipFileError_t, hipFileWriteAsync,
             (hipFileHandle_t, void *, size_t *, hoff_t *, hoff_t *, ssize_t *, hipStream_t));
ABI_FUNCTION(hipFileError_t, hipFileStreamRegister, (hipStream_t, unsigned));
ABI_FUNCTION(hipFileError_t, hipFileStreamDeregister, (hipStream_t));
ABI_FUNCTION(hipFileError_t, hipFileGetVersion, (unsigned *, unsigned *, unsigned *));
ABI_FUNCTION(hipFileError_t, hipFileGetParameterSizeT, (hipFileSizeTConfigParameter_t, size_t *));
ABI_FUNCTION(hipFileError_t, hipFileGetParameterBool, (hipFileBoolConfigParameter_t, bool *));
ABI_FUNCTION(hipFileError_t, hipFileGetParameterString,
             (hipFileStringConfigParameter_t, char *, int));
ABI_FUNCTION(hipFileError_t, hipFileSetParameterSizeT, (hipFileSizeTConfigParameter_t, size_t));
ABI_FUNCTION(hipFileError_t, hipFileSetParameterBool, (hipFileBoolConfigParameter_t, bool));
ABI_FUNCTION(hipFileError_t, hipFileSetParameterString,
             (hipFileStringConfigParameter_t, const char *));
ABI_FUNCTION(hipFileError_t, hipFileGetStatsL1, (hipFileStatsLevel1_t *));
ABI_FUNCTION(hipFileError_t, hipFileGetStatsL2, (hipFileStatsLevel2_t *));
ABI_FUNCTION(hipFileError_t, hipFileGetStatsL3, (hipFileStatsLevel3_t *));

#endif
