extension ValueWords {
    /// The names of fields.
    static let names: [String: String] = [
        // Health
        "Heart rate": "心率", "Energy expended": "消耗能量", "RR interval": "RR 间期", "RR intervals": "RR 间期",
        "Systolic": "收缩压", "Diastolic": "舒张压", "Mean arterial pressure": "平均动脉压", "Cuff pressure": "袖带压力",
        "Pulse rate": "脉率", "User": "用户", "Measurement status": "测量状态", "Time": "时间", "Time offset": "时间偏移",
        "Temperature": "温度", "Fahrenheit": "华氏温度", "Temperature Type": "测温部位", "Measurement Interval": "测量间隔",
        "Glucose": "葡萄糖", "Concentration": "浓度", "Sequence number": "序号", "Base time": "基准时间", "Sample": "样本类型",
        "Location": "部位", "Sensor status": "传感器状态", "Carbohydrate": "碳水化合物", "Meal": "用餐", "Tester": "检测者",
        "Health": "健康状况",
        "Exercise": "运动", "Medication": "药物", "HbA1c": "HbA1c", "SpO2": "血氧饱和度", "Fast SpO2": "快速血氧饱和度",
        "Slow SpO2": "慢速血氧饱和度", "Fast pulse rate": "快速脉率", "Slow pulse rate": "慢速脉率",
        "Pulse amplitude index": "脉搏幅度指数", "Warning": "警告", "Calibration": "校准", "Trend": "趋势", "Quality": "质量",
        // Users and body
        "Weight": "体重", "Height": "身高", "BMI": "体质指数", "BMI and height": "体质指数和身高", "Body fat": "体脂",
        "Basal metabolism": "基础代谢", "Muscle": "肌肉率", "Muscle mass": "肌肉质量", "Fat free mass": "去脂体重",
        "Soft lean mass": "软组织瘦体重", "Body water mass": "体水分质量", "Impedance": "阻抗", "Age": "年龄", "Gender": "性别",
        "Date of Birth": "出生日期", "First Name": "名", "Last Name": "姓", "Language": "语言", "Handedness": "惯用手",
        "User Index": "用户编号",
        // Fitness
        "Speed": "速度", "Cadence": "步频", "Distance": "距离", "Total distance": "总距离", "Stride length": "步幅", "Steps": "步数",
        "Strides": "步数", "Duration": "时长", "Energy": "能量", "Power": "功率", "Pedal balance": "踏板平衡", "Torque": "扭矩",
        "Accumulated torque": "累计扭矩", "Accumulated energy": "累计能量", "Wheel revolutions": "车轮转数",
        "Last wheel event": "最近的车轮事件", "Crank revolutions": "曲柄转数", "Last crank event": "最近的曲柄事件",
        "Average speed": "平均速度", "Average power": "平均功率", "Average cadence": "平均踏频", "Inclination": "坡度",
        "Elevation": "海拔", "Resistance": "阻力", "Elapsed": "已用时间", "Remaining": "剩余时间", "Pace": "配速",
        "Average pace": "平均配速",
        "Metabolic equivalent": "代谢当量", "Energy per hour": "每小时能量", "Energy per minute": "每分钟能量",
        // Battery, alerts, time
        "Battery level": "电池电量", "Battery Level": "电池电量", "Power state": "电源状态", "Identifier": "标识", "Status": "状态",
        "Alert Level": "警报级别", "Alert Status": "警报状态", "Category": "类别", "Categories": "类别", "Unread": "未读",
        "New": "新的",
        "Text": "文本", "Ringer Setting": "铃声设置", "Ringer Control Point": "铃声控制点", "Day": "星期", "Fractions": "秒的小数",
        "Reason": "原因", "Time zone": "时区", "Daylight saving": "夏令时", "Source": "来源", "Accuracy": "精度",
        "Days since update": "更新后的天数", "Hours since update": "更新后的小时数", "State": "状态", "Result": "结果",
        // Device information and GATT
        "Manufacturer Name": "制造商名称", "Model Number": "型号", "Serial Number": "序列号", "Hardware Revision": "硬件版本",
        "Firmware Revision": "固件版本", "Software Revision": "软件版本", "System ID": "系统标识", "Vendor source": "厂商来源",
        "Vendor": "厂商", "Product": "产品", "Version": "版本", "Device Name": "设备名称", "Tx Power": "发射功率",
        "Interval minimum": "最小间隔", "Interval maximum": "最大间隔", "Supervision timeout": "监督超时", "First handle": "首个句柄",
        "Last handle": "末个句柄", "Client configuration": "客户端配置", "Server configuration": "服务器配置",
        "Extended properties": "扩展属性", "User Description": "用户描述", "Format": "格式", "Exponent": "指数", "Unit": "单位",
        "Name space": "命名空间", "Description": "描述", "Features": "功能", "Client features": "客户端功能",
        "Central Address Resolution": "中心设备地址解析", "Body Sensor Location": "传感器部位", "Sensor Location": "传感器位置",
        "Heart Rate Control Point": "心率控制点",
        // Environment
        "Humidity": "湿度", "Pressure": "气压", "Rainfall": "降雨量", "UV Index": "紫外线指数", "Irradiance": "辐照度",
        "Illuminance": "照度",
        "Wind Chill": "风寒温度", "Heat Index": "炎热指数", "Dew Point": "露点", "True Wind Speed": "真风速",
        "True Wind Direction": "真风向", "Apparent Wind Speed": "视风速", "Apparent Wind Direction": "视风向",
        "Barometric Pressure Trend": "气压趋势", "Magnetic Declination": "磁偏角", "Latitude": "纬度", "Longitude": "经度",
        "Heading": "航向", "Bearing": "方位", "Noise": "噪声", "Voltage": "电压", "Electric Current": "电流", "Count": "计数",
        "Minimum": "最小值", "Maximum": "最大值", "Average": "平均值", "Typical": "典型值", "Value": "值", "Size": "大小",
        "Offset": "偏移",
    ]
}
