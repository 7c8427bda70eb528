// swift-format-ignore-file
// Made by Scripts/generate-assigned-numbers; changes made here by hand are lost.
// Names and numbers from these packages, and the corrections in the script; their licences are in NOTICE:
// - bleak 3.1.0 (MIT, Copyright (c) 2020, Henrik Blidh)

extension AssignedNumbers {
    /// The names of descriptors by their 16-bit UUIDs.
    static let descriptors = NumberTable(
        #"""
        2900 Characteristic Extended Properties
        2901 Characteristic User Description
        2902 Client Characteristic Configuration
        2903 Server Characteristic Configuration
        2904 Characteristic Presentation Format
        2905 Characteristic Aggregate Format
        2906 Valid Range
        2907 External Report Reference
        2908 Report Reference
        2909 Number of Digitals
        290A Value Trigger Setting
        290B Environmental Sensing Configuration
        290C Environmental Sensing Measurement
        290D Environmental Sensing Trigger Setting
        290E Time Trigger Setting
        290F Complete BR-EDR Transport Block Data
        2910 Observation Schedule
        2911 Valid Range and Accuracy
        2912 Measurement Description
        2913 Manufacturer Limits
        2914 Process Tolerances
        2915 IMD Trigger Setting
        2916 Cooking Sensor Info
        2917 Cooking Trigger Setting

        """#)
}
